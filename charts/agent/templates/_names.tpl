{{- /* Names and labels. 52 letters: a StatefulSet's pods carry its name and a hash in one label of 63. */ -}}
{{- define "outpost-agent.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "outpost-agent.fullname" -}}
{{- if .location -}}
{{- printf "%s-%s" (include "outpost-agent.releaseName" . | trunc (sub 51 (len .location) | int) | trimSuffix "-") .location -}}
{{- else -}}
{{- include "outpost-agent.releaseName" . -}}
{{- end -}}
{{- end -}}

{{- define "outpost-agent.releaseName" -}}
{{- $name := include "outpost-agent.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* What the release's own pods of a location have, tests included. */ -}}
{{- define "outpost-agent.releaseLabels" -}}
app.kubernetes.io/name: {{ include "outpost-agent.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- with .location }}
outpost-location: {{ . | quote }}
{{- end }}
{{- end -}}

{{- define "outpost-agent.selectorLabels" -}}
{{ include "outpost-agent.releaseLabels" . }}
app.kubernetes.io/component: agent
{{- end -}}

{{- /* Labels of an object: (list $ and further ones). The chart's own win, so that none is there twice. */ -}}
{{- define "outpost-agent.labels" -}}
{{- $root := first . -}}
{{- $own := include "outpost-agent.releaseLabels" $root | fromYaml -}}
{{- $_ := set $own "app.kubernetes.io/version" $root.Chart.AppVersion -}}
{{- $_ := set $own "app.kubernetes.io/managed-by" $root.Release.Service -}}
{{- $_ := set $own "app.kubernetes.io/part-of" "outpost" -}}
{{- $_ := set $own "helm.sh/chart" (printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_") -}}
{{- mergeOverwrite (deepCopy $root.Values.commonLabels) (deepCopy (last .)) $own | toYaml -}}
{{- end -}}

{{- /* Labels of a pod: (list $, its component, further ones). */ -}}
{{- define "outpost-agent.podLabels" -}}
{{- $root := first . -}}
{{- $own := include "outpost-agent.releaseLabels" $root | fromYaml -}}
{{- $_ := set $own "app.kubernetes.io/component" (index . 1) -}}
{{- mergeOverwrite (deepCopy $root.Values.commonLabels) (deepCopy (last .)) $own | toYaml -}}
{{- end -}}

{{- define "outpost-agent.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (.Values.serviceAccount.create | ternary (include "outpost-agent.fullname" .) "default") -}}
{{- end -}}

{{- define "outpost-agent.image" -}}
{{- with .Values.image -}}
{{- $variant := $.Values.browser.enabled | ternary "agent-browser" .variant -}}
{{- $repository := .repository | default (printf "outpost/%s" $variant) -}}
{{- with .registry }}{{ . }}/{{ end -}}
{{- $repository -}}
{{- if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end -}}

{{- /* Deployment or StatefulSet: with volumes of their own, agents need names that stay. */ -}}
{{- define "outpost-agent.kind" -}}
{{- eq .Values.outbox.type "pvc" | ternary "StatefulSet" "Deployment" -}}
{{- end -}}

{{- /* The Secret that holds the key: ours, theirs, or none when the key is a file. */ -}}
{{- define "outpost-agent.keySecret" -}}
{{- .Values.apiKey.existingSecret.name | default (empty .Values.apiKey.value | ternary "" (include "outpost-agent.fullname" .)) -}}
{{- end -}}
