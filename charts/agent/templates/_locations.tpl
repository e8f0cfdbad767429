{{- /*
The agents that a release has: those of one location, or of each of `locations`, whose values win over those of the release. Sets `all` of
(dict "root" $): for each what templates take in place of $, with `location`, its name, or "" where there is one location without a name.
*/ -}}
{{- define "outpost-agent.contexts" -}}
{{- $root := .root -}}
{{- $all := list -}}
{{- range $index, $location := $root.Values.locations | default (list dict) -}}
{{- $values := mergeOverwrite (deepCopy $root.Values) (deepCopy (omit $location "name")) -}}
{{- $name := $location.name | default "" -}}
{{- if not $values.keda.location }}{{ $_ := set $values.keda "location" $name }}{{ end -}}
{{- $own := dict "Values" $values "location" $name "isFirst" (eq $index 0) -}}
{{- $all = append $all (merge $own (pick $root "Release" "Chart" "Capabilities" "Files" "Template")) -}}
{{- end -}}
{{- $_ := set . "all" $all -}}
{{- end -}}

{{- /* A part of the release for each of its locations: (list $ part). */ -}}
{{- define "outpost-agent.each" -}}
{{- $contexts := dict "root" (first .) -}}
{{- include "outpost-agent.contexts" $contexts -}}
{{- range $contexts.all }}
---
{{ include (printf "outpost-agent.part.%s" (last $)) . }}
{{- end }}
{{- end -}}
