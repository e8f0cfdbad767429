{{- /* What no agent could be installed with: every problem at once, each as a sentence that says what to do. Never a secret. */ -}}
{{- define "outpost-agent.check" -}}
{{- $problems := include "outpost-agent.check.locations" . | fromYamlArray -}}
{{- $contexts := dict "root" . -}}
{{- include "outpost-agent.contexts" $contexts -}}
{{- range $context := $contexts.all -}}
{{- range list "key" "scripts" "addresses" "environment" "scaling" "network" -}}
{{- range include (printf "outpost-agent.check.%s" .) $context | fromYamlArray -}}
{{- $problems = append $problems ($context.location | empty | ternary . (printf "%s: %s" $context.location .)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with $problems -}}
{{- fail (printf "\n\nThe chart cannot be installed with these values:\n  - %s\n" (join "\n  - " .)) -}}
{{- end -}}
{{- end -}}

{{- define "outpost-agent.check.locations" -}}
{{- $names := list -}}
{{- range .Values.locations -}}
{{- if has .name $names }}
- {{ printf "locations has %s twice: name each location once." .name | quote }}
{{- end }}
{{- $names = append $names .name -}}
{{- end -}}
{{- with .Values.apiKey }}
{{- if and $names (or .value .existingSecret.name .file) }}
- "apiKey and locations are both given: a key is of one location; give each location its own apiKey."
{{- end }}
{{- end }}
{{- end -}}

{{- define "outpost-agent.check.key" -}}
{{- with .Values.apiKey -}}
{{- $given := list -}}
{{- range $name, $value := dict "apiKey.value" .value "apiKey.existingSecret.name" .existingSecret.name "apiKey.file" .file -}}
{{- if $value }}{{ $given = append $given $name }}{{ end -}}
{{- end -}}
{{- if not $given }}
- "apiKey is required: set apiKey.existingSecret.name to a Secret that holds the key of the private location (pl_…), or apiKey.value to the key, or apiKey.file to the path of a file that you mount."
{{- else if gt (len $given) 1 }}
- {{ printf "%s are both set: keep one of apiKey.existingSecret.name, apiKey.value and apiKey.file." (join " and " (sortAlpha $given)) | quote }}
{{- end }}
{{- if and .file (not (hasPrefix "/" .file)) }}
- {{ printf "apiKey.file is %q: give an absolute path in the container, such as /run/secrets/outpost/api-key." .file | quote }}
{{- end }}
{{- end -}}
{{- end -}}

{{- define "outpost-agent.check.scripts" -}}
{{- with .Values.runtimes }}
{{- if and .inImage .volume }}
- "runtimes.inImage and runtimes.volume are both set: an agent reads one folder of runtimes; keep one."
{{- end }}
{{- if and .folder (not .volume) }}
- "runtimes.folder is set, but there is no runtimes.volume that it would be in: set that, or remove it."
{{- end }}
{{- end }}
{{- if and .Values.browser.enabled (eq .Values.image.variant "agent-uptime") }}
- "browser.enabled is true and image.variant is agent-uptime, which has no browser: leave image.variant at agent."
{{- end }}
{{- if and .Values.suites.concurrency (not .Values.browser.enabled) }}
- "suites.concurrency is {{ .Values.suites.concurrency }} and browser.enabled is false: suites run in what browser checks need; set browser.enabled to true."
{{- end }}
{{- with .Values.agentic }}
{{- if and .model.url (not .model.name) }}
- "agentic.model.url is set and agentic.model.name is empty: say which model the endpoint is to take."
{{- end }}
{{- if and .model.url (not $.Values.browser.enabled) }}
- "agentic.model.url is set and browser.enabled is false: a model acts in a browser; set browser.enabled to true."
{{- end }}
{{- end }}
{{- if and .Values.browser.enabled (eq .Values.scripts.sandbox "off") }}
- "browser.enabled is true and scripts.sandbox is off: a browser check is a script; set scripts.sandbox to auto, or browser.enabled to false."
{{- end }}
{{- with .Values.secrets }}
{{- if and .existingSecret.name .folder }}
- "secrets.existingSecret.name and secrets.folder are both set: an agent reads one folder of secrets; keep one."
{{- end }}
{{- if and .folder (not (hasPrefix "/" .folder)) }}
- {{ printf "secrets.folder is %q: give an absolute path in the container, such as /run/secrets/checks." .folder | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "outpost-agent.check.addresses" -}}
{{- $url := `^https?://([A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(/[A-Za-z0-9._~/%-]*)?$` -}}
{{- $proxy := `^https?://([^\s/@]+@)?([A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?/?$` -}}
{{- with .Values.apiUrl -}}
{{- if contains "@" . }}
- "apiUrl holds a user or a password: an agent authenticates with its key only; leave out what is before the @."
{{- else if not (regexMatch $url .) }}
- {{ printf "apiUrl is %q: give an http or https URL without spaces, query and fragment, such as https://outpost.example.com." . | quote }}
{{- end }}
{{- else }}
- "apiUrl is required: set it to the base URL of the control plane, such as https://outpost.example.com."
{{- end }}
{{- range $name, $value := dict "proxy.https" .Values.proxy.https "proxy.http" .Values.proxy.http }}
{{- if and $value (not (regexMatch $proxy $value)) }}
- {{ printf "%s is no URL of a proxy: give one such as http://proxy.example.com:3128." $name | quote }}
{{- end }}
{{- end }}
{{- with .Values.proxy.existingSecret }}
{{- if and .name (not .httpsKey) (not .httpKey) }}
- "proxy.existingSecret.name is set, but neither httpsKey nor httpKey says which entry is the proxy: set one."
{{- end }}
{{- end }}
{{- with .Values.networkPolicy }}
{{- if and .enabled .egress.restricted (include "outpost-agent.secretProxyKey" $) (not .egress.controlPlane.port) }}
- "networkPolicy.egress.restricted closes the way to the proxy, whose port stands in the Secret of proxy.existingSecret: set networkPolicy.egress.controlPlane.port to it."
{{- end }}
{{- end }}
{{- range $name, $list := dict "targets.allowCidrs" .Values.targets.allowCidrs "targets.denyCidrs" .Values.targets.denyCidrs "networkPolicy.egress.cidrs" .Values.networkPolicy.egress.cidrs }}
{{- range $list }}
{{- if not (regexMatch `^[0-9A-Fa-f:.]*[.:][0-9A-Fa-f:.]*(/[0-9]{1,3})?$` .) }}
- {{ printf "%s has %q: give networks such as 10.0.0.0/8 or fd00::/8." $name . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.image.digest }}
{{- if not (regexMatch "^sha256:[0-9a-f]{64}$" .) }}
- {{ printf "image.digest is %q: give sha256: and 64 hexadecimal digits, or leave it empty and set image.tag." . | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "outpost-agent.check.environment" -}}
{{- $own := list "API_KEY" "OUTBOX_DIR" -}}
{{- range include "outpost-agent.env" . | fromYamlArray }}{{ $own = append $own .name }}{{ end -}}
{{- range .Values.extraEnv }}
{{- if has .name $own }}
- {{ printf "extraEnv sets %s, which the chart sets itself: use its value instead." .name | quote }}
{{- end }}
{{- end }}
{{- with .Values.externalSecrets }}
{{- if and .secrets (not .store.name) }}
- "externalSecrets.secrets is given, but no store: set externalSecrets.store.name."
{{- end }}
{{- end }}
{{- with .Values.extraCas.pem }}
{{- if not (contains "-----BEGIN CERTIFICATE-----" .) }}
- "extraCas.pem has no certificate: give PEM text, for example with --set-file extraCas.pem=ca.pem."
{{- end }}
{{- end }}
{{- if and .Values.captures (not .Values.evidence) }}
- "captures is true and evidence is false: captures are a part of the evidence; set evidence to true, or captures to false."
{{- end }}
{{- if has .Values.healthHost (list "127.0.0.1" "::1" "localhost") }}
- {{ printf "healthHost is %q: probes come from outside the container; leave it at \"::\"." .Values.healthHost | quote }}
{{- end }}
{{- end -}}

{{- define "outpost-agent.check.scaling" -}}
{{- $scalers := list -}}
{{- range $name := list "autoscaling" "keda" -}}
{{- $scaler := get $.Values $name -}}
{{- if $scaler.enabled -}}
{{- $scalers = append $scalers $name -}}
{{- if gt (int $scaler.minReplicas) (int $scaler.maxReplicas) }}
- {{ printf "%s.minReplicas is %d and %s.maxReplicas is %d: raise the most, or lower the fewest." $name (int $scaler.minReplicas) $name (int $scaler.maxReplicas) | quote }}
{{- end }}
{{- if eq $.Values.outbox.type "pvc" }}
- {{ printf "%s.enabled and outbox.type pvc do not go together: an agent that is scaled away would leave results on its volume; use outbox.type emptyDir, or a fixed number of replicas." $name | quote }}
{{- end }}
{{- end -}}
{{- end -}}
{{- if gt (len $scalers) 1 }}
- "autoscaling.enabled and keda.enabled are both true: KEDA makes an autoscaler of its own, and two would fight; keep one."
{{- end }}
{{- with .Values.autoscaling }}
{{- if and .enabled (not .targetCpuPercent) (not .metrics) }}
- "autoscaling.enabled has nothing to scale on: set autoscaling.targetCpuPercent or autoscaling.metrics."
{{- end }}
{{- end }}
{{- with .Values.keda }}
{{- $ownQuery := and (eq .source "prometheus") .prometheus.query }}
{{- if and .enabled (not .location) (not $ownQuery) }}
- "keda.location is required: set it to the slug of the private location whose queue counts, such as berlin."
{{- end }}
{{- if and .enabled (eq .source "prometheus") (not .prometheus.serverAddress) }}
- "keda.prometheus.serverAddress is required with keda.source prometheus: set it to an address such as http://prometheus.monitoring:9090."
{{- end }}
{{- end }}
{{- end -}}

{{- define "outpost-agent.check.network" -}}
{{- with .Values.networkPolicy.egress }}
{{- if and (or .cidrs .rules) (not .restricted) }}
- "networkPolicy.egress.cidrs or rules are given, but egress is open: set networkPolicy.egress.restricted to true, or remove them."
{{- end }}
{{- if and .restricted (not $.Values.networkPolicy.enabled) }}
- "networkPolicy.egress.restricted is true, but there is no policy: set networkPolicy.enabled to true."
{{- end }}
{{- if and .restricted $.Values.hostNetwork }}
- "networkPolicy.egress.restricted has no effect with hostNetwork, where no network policy counts: set one of the two to false."
{{- end }}
{{- end }}
{{- end -}}
