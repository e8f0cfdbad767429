{{- /*
The sizing rule, and the only place of its numbers: what an agent needs idle, for each of its seats, and for each script where there are runtimes.
CPU has no limit, as throttling would be measured as a slow target.
*/ -}}
{{- define "outpost-agent.resources" -}}
{{- $seats := int .Values.jobConcurrency -}}
{{- $runsScripts := and (or .Values.runtimes.inImage .Values.runtimes.volume) (ne .Values.scripts.sandbox "off") -}}
{{- $scripts := ternary (int .Values.scripts.concurrency) 0 (not (empty $runsScripts)) -}}
{{- $rule := dict
  "requests" (dict
    "cpu" (printf "%dm" (add 100 (mul 10 $seats)))
    "memory" (printf "%dMi" (add 128 (mul 2 $seats) (mul 64 $scripts))))
  "limits" (dict
    "memory" (printf "%dMi" (add 256 (mul 4 $seats) (mul 320 $scripts)))) -}}
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

{{- /* A volume larger than outbox and artifacts may grow: what exceeds an emptyDir is evicted. */ -}}
{{- define "outpost-agent.outboxSize" -}}
{{- $mb := add .Values.outbox.maxMb .Values.artifacts.maxMb -}}
{{- printf "%dMi" (add $mb (div $mb 10) 64) -}}
{{- end -}}

{{- /* Seats of one agent that are aimed at. */ -}}
{{- define "outpost-agent.targetSeats" -}}
{{- max 1 (div (mul (int .Values.jobConcurrency) (int .Values.keda.seatsInUsePercent)) 100) -}}
{{- end -}}

{{- /* Port of the control plane, as apiUrl says it. */ -}}
{{- define "outpost-agent.controlPlanePort" -}}
{{- $url := urlParse .Values.apiUrl -}}
{{- $given := regexFind ":[0-9]+$" $url.host | trimPrefix ":" -}}
{{- .Values.networkPolicy.egress.controlPlane.port | default ($given | default (eq $url.scheme "https" | ternary 443 80)) | int -}}
{{- end -}}
