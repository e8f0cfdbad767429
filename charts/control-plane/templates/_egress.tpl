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
