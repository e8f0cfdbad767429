{{/* Ports that may be reached, and where; nothing without ports. Takes ports and to. */}}
{{- define "outpost-control-plane.egressRule" -}}
{{- if .ports -}}
- ports:
    {{- range .ports }}
    - {port: {{ . }}, protocol: TCP}
    {{- end }}
  {{- with .to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}

{{/* The port of the collector: the one that is given, else that of its URL. */}}
{{- define "outpost-control-plane.telemetryPort" -}}
{{- $url := urlParse .Values.telemetry.endpoint }}
{{- $own := regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (eq $url.scheme "https" | ternary 443 80) }}
{{- .Values.networkPolicy.egress.telemetry.port | default $own | int }}
{{- end }}

{{/* Variables of proxies that come from the Secret, with its entries, as JSON. */}}
{{- define "outpost-control-plane.proxyKeys" -}}
{{- $keys := dict -}}
{{- with .Values.proxy.existingSecret -}}
{{- range $variable, $key := dict "HTTPS_PROXY" .httpsKey "HTTP_PROXY" .httpKey "SMTP_PROXY" .smtpKey -}}
{{- if and $.Values.proxy.existingSecret.name $key }}{{ $_ := set $keys $variable $key }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toJson $keys -}}
{{- end }}

{{/* Variables of proxies whose URLs are given, as JSON. What the Secret has wins. */}}
{{- define "outpost-control-plane.proxyUrls" -}}
{{- $secret := include "outpost-control-plane.proxyKeys" . | fromJson -}}
{{- $urls := dict -}}
{{- range $variable, $url := dict "HTTPS_PROXY" .Values.proxy.https "HTTP_PROXY" .Values.proxy.http "SMTP_PROXY" .Values.proxy.smtp -}}
{{- if and $url (not (hasKey $secret $variable)) }}{{ $_ := set $urls $variable $url }}{{ end -}}
{{- end -}}
{{- toJson $urls -}}
{{- end }}

{{/* Ports of the proxies, as JSON: the one that is given, else those of their URLs. */}}
{{- define "outpost-control-plane.proxyPorts" -}}
{{- $ports := list -}}
{{- range $url := include "outpost-control-plane.proxyUrls" . | fromJson -}}
{{- $given := regexFind ":[0-9]+/?$" $url | trimPrefix ":" | trimSuffix "/" -}}
{{- $ports = append $ports ($given | default (hasPrefix "https:" $url | ternary 443 80) | int) -}}
{{- end -}}
{{- with .Values.networkPolicy.egress.proxy.port }}{{ $ports = list (int .) }}{{ end -}}
{{- $ports | uniq | sortAlpha | toJson -}}
{{- end }}
