{{/* Name of the Secret with the pepper: the operator's own, else the chart's. */}}
{{- define "outpost-control-plane.keyPepperSecret" -}}
{{- default (printf "%s-key-pepper" (include "outpost-control-plane.fullname" .)) .Values.keyPepper.existingSecret.name }}
{{- end }}

{{/* True where the pepper comes from a Secret. With SQLite and nothing given it is a file on the volume, which the control plane makes. */}}
{{- define "outpost-control-plane.mountsKeyPepper" -}}
{{- if or (include "outpost-control-plane.postgresql" .) .Values.keyPepper.value .Values.keyPepper.existingSecret.name }}true{{ end }}
{{- end }}

{{/* The same of the encryption key. */}}
{{- define "outpost-control-plane.encryptionKeySecret" -}}
{{- default (printf "%s-encryption-key" (include "outpost-control-plane.fullname" .)) .Values.encryptionKey.existingSecret.name }}
{{- end }}

{{- define "outpost-control-plane.mountsEncryptionKey" -}}
{{- if or (include "outpost-control-plane.postgresql" .) .Values.encryptionKey.value .Values.encryptionKey.existingSecret.name }}true{{ end }}
{{- end }}

{{/* Where large files are kept. A folder is for one process. */}}
{{- define "outpost-control-plane.artifactStore" -}}
{{- .Values.artifacts.store | default (include "outpost-control-plane.postgresql" . | empty | ternary "folder" "off") }}
{{- end }}

{{/* Port of the S3 store, as its endpoint says it. */}}
{{- define "outpost-control-plane.artifactPort" -}}
{{- $url := urlParse (.Values.artifacts.s3.endpoint | default "https://s3") }}
{{- $given := regexFind ":[0-9]+$" $url.host | trimPrefix ":" }}
{{- .Values.networkPolicy.egress.artifacts.port | default ($given | default (eq $url.scheme "http" | ternary 80 443)) | int }}
{{- end }}

{{/* Secrets of the alert channels and the watchdog, as JSON: smtp, twilio, slack and watchdog with name and key, each only where it is given. */}}
{{- define "outpost-control-plane.channelSecrets" -}}
{{- $secrets := dict }}
{{- range $service := list "smtp" "twilio" "slack" }}
{{- with (index $.Values.alertChannels $service).existingSecret }}
{{- if .name }}{{ $_ := set $secrets $service . }}{{ end }}
{{- end }}
{{- end }}
{{- with .Values.watchdog.existingSecret }}
{{- if .name }}{{ $_ := set $secrets "watchdog" . }}{{ end }}
{{- end }}
{{- if .Values.alertChannels.smtp.url }}
{{- $_ := set $secrets "smtp" (dict "name" (printf "%s-smtp" (include "outpost-control-plane.fullname" .)) "key" "url") }}
{{- end }}
{{- toJson $secrets }}
{{- end }}

{{- define "outpost-control-plane.mountsCas" -}}
{{- with .Values.extraCas }}{{ if or .pem .configMap.name .secret.name }}true{{ end }}{{ end }}
{{- end }}

{{/* Base64 of the pepper that the chart keeps: the value, else the one that it made before, else a new one (see the refusals for when not). */}}
{{- define "outpost-control-plane.keptPepper" -}}
{{- $kept := lookup "v1" "Secret" .Release.Namespace (include "outpost-control-plane.keyPepperSecret" .) }}
{{- if .Values.keyPepper.value }}{{ .Values.keyPepper.value | b64enc }}
{{- else }}{{ dig "data" "pepper" (randAlphaNum 64 | b64enc) $kept }}
{{- end }}
{{- end }}

{{/* The same of the encryption key, which has a form: 64 hexadecimal digits. */}}
{{- define "outpost-control-plane.keptEncryptionKey" -}}
{{- $kept := lookup "v1" "Secret" .Release.Namespace (include "outpost-control-plane.encryptionKeySecret" .) }}
{{- if .Values.encryptionKey.value }}{{ .Values.encryptionKey.value | b64enc }}
{{- else }}{{ dig "data" "key" (randAlphaNum 64 | sha256sum | b64enc) $kept }}
{{- end }}
{{- end }}

{{/*
Sources of /run/secrets/outpost. Takes root, database (name and key of its Secret), whether pepper, encryption (the encryption key) and
previous (the ones before) are mounted, s3 (name and keys of its Secret), and smtp, twilio, slack, watchdog, oidc, model and telemetry (name and key of each's).
*/}}
{{- define "outpost-control-plane.secretsVolume" -}}
name: secrets
projected:
  defaultMode: 288 # 0440: the user reads it through fsGroup
  sources:
    {{- with .database }}
    - secret: {name: {{ .name | quote }}, items: [{key: {{ .key | quote }}, path: database-url}]}
    {{- end }}
    {{- if .pepper }}
    {{- $given := .root.Values.keyPepper.existingSecret }}
    - secret: {name: {{ include "outpost-control-plane.keyPepperSecret" .root | quote }}, items: [{key: {{ or (and $given.name $given.key) "pepper" | quote }}, path: key-pepper}]}
    {{- end }}
    {{- if .encryption }}
    {{- $given := .root.Values.encryptionKey.existingSecret }}
    - secret: {name: {{ include "outpost-control-plane.encryptionKeySecret" .root | quote }}, items: [{key: {{ or (and $given.name $given.key) "key" | quote }}, path: encryption-key}]}
    {{- end }}
    {{- if .previous }}
    {{- with .root.Values.encryptionKey.previous.existingSecret }}
    - secret: {name: {{ .name | quote }}, items: [{key: {{ .key | quote }}, path: encryption-key-previous}]}
    {{- end }}
    {{- end }}
    {{- with .s3 }}
    - secret: {name: {{ .name | quote }}, items: [{key: {{ .secretKey | quote }}, path: s3-secret-access-key}]}
    {{- end }}
    {{- with .smtp }}
    - secret: {name: {{ .name | quote }}, items: [{key: {{ .key | quote }}, path: smtp-url}]}
    {{- end }}
    {{- with .twilio }}
    - secret: {name: {{ .name | quote }}, items: [{key: {{ .key | quote }}, path: twilio-auth-token}]}
    {{- end }}
    {{- with .slack }}
    - secret: {name: {{ .name | quote }}, items: [{key: {{ .key | quote }}, path: slack-bot-token}]}
    {{- end }}
    {{- with .watchdog }}
    - secret: {name: {{ .name | quote }}, items: [{key: {{ .key | quote }}, path: watchdog-url}]}
    {{- end }}
    {{- with .oidc }}
    - secret: {name: {{ .name | quote }}, items: [{key: {{ .key | quote }}, path: oidc-client-secret}]}
    {{- end }}
    {{- with .model }}
    - secret: {name: {{ .name | quote }}, items: [{key: {{ .key | quote }}, path: root-cause-model-key}]}
    {{- end }}
    {{- with .telemetry }}
    - secret: {name: {{ .name | quote }}, items: [{key: {{ .key | quote }}, path: telemetry-headers}]}
    {{- end }}
{{- end }}

{{/* The CAs' volume. Takes root and inline: the source of those given as PEM. */}}
{{- define "outpost-control-plane.casVolume" -}}
{{- $cas := .root.Values.extraCas -}}
name: cas
{{- if $cas.configMap.name }}
configMap: {name: {{ $cas.configMap.name | quote }}, items: [{key: {{ $cas.configMap.key | quote }}, path: ca.crt}]}
{{- else if $cas.secret.name }}
secret: {secretName: {{ $cas.secret.name | quote }}, items: [{key: {{ $cas.secret.key | quote }}, path: ca.crt}]}
{{- else }}
{{ toYaml .inline }}
{{- end }}
{{- end }}
