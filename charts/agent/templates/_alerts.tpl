{{- /* The alerts. `service` is the label that a ServiceMonitor gives; each says what to do next. */ -}}
{{- define "outpost-agent.alerts" -}}
{{- $here := printf `namespace="%s",service="%s"` .Release.Namespace (include "outpost-agent.fullname" .) -}}
{{- $doctor := printf "kubectl -n %s exec {{ $labels.pod }} -c agent -- outpost doctor" .Release.Namespace -}}
{{- $set := .Values.prometheusRule -}}
- alert: OutpostAgentsGone
  expr: absent(outpost_agent_ready{ {{- $here -}} } == 1)
  for: 5m
  labels: { severity: critical }
  annotations:
    summary: No Outpost agent of {{ .location | default .Release.Name }} is ready
    description: {{ printf "No agent runs the checks of this location. Outpost records runs as missed 6 minutes after they were due. Look at the pods: kubectl -n %s get pods -l app.kubernetes.io/instance=%s" .Release.Namespace .Release.Name | quote }}
- alert: OutpostAgentNotReady
  expr: outpost_agent_ready{ {{- $here -}} } == 0
  for: 5m
  labels: { severity: warning }
  annotations:
    summary: {{ "Outpost agent {{ $labels.pod }} is not ready" | quote }}
    description: {{ printf "It takes no jobs. Find out why: %s" $doctor | quote }}
- alert: OutpostAgentNoContact
  expr: outpost_agent_control_plane_contact_age_seconds{ {{- $here -}} } > {{ int $set.noContactSeconds }}
  for: 1m
  labels: { severity: critical }
  annotations:
    summary: {{ "Outpost agent {{ $labels.pod }} has lost the control plane" | quote }}
    description: {{ printf "No answer for {{ $value | humanizeDuration }}. Results wait in the outbox. Find out why: %s" $doctor | quote }}
- alert: OutpostAgentClockWrong
  expr: abs(outpost_agent_clock_ahead_seconds{ {{- $here -}} }) > {{ int $set.clockAheadSeconds }}
  for: 10m
  labels: { severity: warning }
  annotations:
    summary: {{ "The clock of {{ $labels.pod }} is wrong" | quote }}
    description: {{ "It differs from the control plane's by {{ $value | humanizeDuration }}. Certificates may look expired or not yet valid. Synchronise the clock of the pod's node." | quote }}
- alert: OutpostAgentOutboxGrowing
  expr: outpost_agent_outbox_oldest_seconds{ {{- $here -}} } > {{ int $set.outboxOldestSeconds }}
  for: 5m
  labels: { severity: warning }
  annotations:
    summary: {{ "Results wait in the outbox of {{ $labels.pod }}" | quote }}
    description: {{ printf "The oldest has waited for {{ $value | humanizeDuration }}. After %d hours, the agent drops it. Find out why: %s" (int .Values.outbox.maxHours) $doctor | quote }}
- alert: OutpostAgentOutboxNearlyFull
  expr: outpost_agent_outbox_bytes{ {{- $here -}} } > {{ mul (int .Values.outbox.maxMb) 838861 }}
  for: 5m
  labels: { severity: critical }
  annotations:
    summary: {{ "The outbox of {{ $labels.pod }} is over 80 % full" | quote }}
    description: It holds {{ "{{ $value | humanize1024 }}B" }}. When it is full, the agent drops results. Bring the control plane back, or raise outbox.maxMb.
- alert: OutpostAgentResultsDropped
  expr: sum by (pod, reason) (increase(outpost_agent_outbox_dropped_total{ {{- $here -}} }[15m])) > 0
  labels: { severity: critical }
  annotations:
    summary: {{ "Outpost agent {{ $labels.pod }} drops results" | quote }}
    description: {{ "About {{ $value | humanize }} in 15 minutes, because of: {{ $labels.reason }}. Their runs are recorded as missed." | quote }}
- alert: OutpostAgentOutboxDamaged
  expr: increase(outpost_agent_outbox_damaged_lines_total{ {{- $here -}} }[15m]) > 0
  labels: { severity: warning }
  annotations:
    summary: {{ "The outbox of {{ $labels.pod }} has damaged lines" | quote }}
    description: The agent moved these lines to a file that ends with .damaged. Check the node's disk, or the volume.
- alert: OutpostAgentOutboxNotOnDisk
  expr: outpost_agent_outbox_on_disk{ {{- $here -}} } == 0
  for: 2m
  labels: { severity: critical }
  annotations:
    summary: {{ "The outbox of {{ $labels.pod }} is not on disk" | quote }}
    description: {{ printf "Results wait in memory only and are lost when the pod ends. Find out why the volume cannot be written: %s" $doctor | quote }}
- alert: OutpostAgentArtifactsDropped
  expr: sum by (pod, outcome) (increase(outpost_agent_artifacts_total{ {{- $here | trimSuffix "}" -}} ,outcome!="uploaded"}[15m])) > 0
  labels: { severity: warning }
  annotations:
    summary: {{ "Outpost agent {{ $labels.pod }} drops large result files" | quote }}
    description: {{ "About {{ $value | humanize }} in 15 minutes, because of: {{ $labels.outcome }}. The results themselves arrive. If the reason is overflow, raise artifacts.maxMb." | quote }}
- alert: OutpostAgentLeasesLost
  expr: increase(outpost_agent_leases_lost_total{ {{- $here -}} }[15m]) > {{ int $set.leasesLost }}
  labels: { severity: warning }
  annotations:
    summary: {{ "The control plane gives jobs to other agents instead of {{ $labels.pod }}" | quote }}
    description: Its heartbeats come too late, so other agents run its checks. Look at its CPU, its event-loop delay and the network to the control plane.
- alert: OutpostAgentQueueWaitHigh
  expr: histogram_quantile(0.99, sum by (le) (rate(outpost_agent_queue_wait_seconds_bucket{ {{- $here -}} }[10m]))) > {{ $set.queueWaitSeconds }}
  for: 10m
  labels: { severity: warning }
  annotations:
    summary: Checks of {{ .location | default .Release.Name }} start late
    description: {{ "One run in a hundred starts {{ $value | humanizeDuration }} or more after it was due. Raise jobConcurrency or replicas, or let keda do it." | quote }}
- alert: OutpostAgentRestarts
  expr: changes(process_start_time_seconds{ {{- $here -}} }[1h]) > {{ int $set.restarts }}
  labels: { severity: warning }
  annotations:
    summary: {{ "Outpost agent {{ $labels.pod }} restarts often" | quote }}
    description: {{ printf "{{ $value }} times in an hour. For its last log lines, run: kubectl -n %s logs {{ $labels.pod }} -c agent --previous" .Release.Namespace | quote }}
{{- end -}}
