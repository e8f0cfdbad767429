{{- /*
The sizing rule, and the only place of its numbers: what an agent needs idle, for each of its seats, for each script
where there are runtimes, and where browsers run, for those and for what waits to run one.
CPU has no limit, as throttling would be measured as a slow target.
*/ -}}
{{- define "outpost-agent.resources" -}}
{{- $seats := int .Values.jobConcurrency -}}
{{- $hasRuntimes := or .Values.runtimes.inImage .Values.runtimes.volume .Values.browser.enabled -}}
{{- $runsScripts := and $hasRuntimes (ne .Values.scripts.sandbox "off") -}}
{{- $scripts := ternary (int .Values.scripts.concurrency) 0 (not (empty $runsScripts)) -}}
{{- $browsers := ternary (int .Values.browser.concurrency) 0 .Values.browser.enabled -}}
{{- $multiSteps := ternary (int .Values.browser.multiStepConcurrency) 0 .Values.browser.enabled -}}
{{- $suiteMemory := mul (int .Values.suites.concurrency) (int .Values.suites.memoryMb) -}}
{{- $led := ternary (int .Values.agentic.concurrency) 0 (and .Values.browser.enabled (not (empty .Values.agentic.model.url))) -}}
{{- $browserMemory := add (ternary 400 0 .Values.browser.enabled) (mul (add $browsers $led) (int .Values.browser.memoryMb)) $suiteMemory -}}
{{- $rule := dict
  "requests" (dict
    "cpu" (printf "%dm" (add 100 (mul 10 $seats) (mul 500 (add $browsers $led))))
    "memory" (printf "%dMi" (add 128 (mul 2 $seats) (mul 64 $scripts) $browserMemory)))
  "limits" (dict
    "memory" (printf "%dMi" (add 256 (mul 4 $seats) (mul 320 $scripts) $browserMemory (mul 450 $multiSteps)))) -}}
{{- $given := dict -}}
{{- range $kind, $amounts := mergeOverwrite $rule (deepCopy .Values.resources) -}}
{{- $kept := dict -}}
{{- range $name, $amount := $amounts -}}
{{- if not (has $amount (list nil "")) }}{{ $_ := set $kept $name (toString $amount) }}{{ end -}}
{{- end -}}
{{- if $kept }}{{ $_ := set $given $kind $kept }}{{ end -}}
{{- end -}}
{{- toYaml $given -}}
{{- end -}}

{{- /* Bundles and packages, a tenth more as they are counted after they came, and the folders of the runs. */ -}}
{{- define "outpost-agent.suitesSize" -}}
{{- $kept := add .bundleCacheMb .dependencyCacheMb -}}
{{- printf "%dMi" (add $kept (div $kept 10) (mul 4096 (int .concurrency))) -}}
{{- end -}}

{{- /* A volume larger than outbox and artifacts may grow: what exceeds an emptyDir is evicted. */ -}}
{{- define "outpost-agent.outboxSize" -}}
{{- $mb := add .Values.outbox.maxMb .Values.artifacts.maxMb -}}
{{- printf "%dMi" (add $mb (div $mb 10) 64) -}}
{{- end -}}

{{- /* From SIGTERM to the end: a browser check may take 4 minutes. */ -}}
{{- define "outpost-agent.graceSeconds" -}}
{{- max (int .Values.shutdownGraceSeconds) (ternary 300 0 .Values.browser.enabled) -}}
{{- end -}}

{{- /* Seats of one agent that are aimed at. */ -}}
{{- define "outpost-agent.targetSeats" -}}
{{- max 1 (div (mul (int .Values.jobConcurrency) (int .Values.keda.seatsInUsePercent)) 100) -}}
{{- end -}}

{{- /* Ports on the way to the control plane, as JSON: the one that is given, else that of the proxy, else that of apiUrl. Where NO_PROXY is given, it may name the control plane: both. */ -}}
{{- define "outpost-agent.controlPlanePorts" -}}
{{- $scheme := (urlParse .Values.apiUrl).scheme -}}
{{- $proxy := get .Values.proxy $scheme | default "" -}}
{{- $own := .Values.networkPolicy.egress.controlPlane.port | int -}}
{{- $ports := list -}}
{{- if $own }}{{ $ports = list $own -}}
{{- else -}}
{{- if $proxy }}{{ $ports = append $ports (include "outpost-agent.portOf" $proxy | int) }}{{ end -}}
{{- if or (not $proxy) .Values.proxy.noProxy }}{{ $ports = append $ports (include "outpost-agent.portOf" .Values.apiUrl | int) }}{{ end -}}
{{- end -}}
{{- $ports | uniq | toJson -}}
{{- end -}}

{{- define "outpost-agent.portOf" -}}
{{- $url := urlParse . -}}
{{- regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (eq $url.scheme "https" | ternary 443 80) -}}
{{- end -}}

{{- /* The entry of the proxies' Secret that apiUrl goes through; nothing without. */ -}}
{{- define "outpost-agent.secretProxyKey" -}}
{{- with .Values.proxy.existingSecret -}}
{{- if .name }}{{ get . (printf "%sKey" (urlParse $.Values.apiUrl).scheme) | default "" }}{{ end -}}
{{- end -}}
{{- end -}}
