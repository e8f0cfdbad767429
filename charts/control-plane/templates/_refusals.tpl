{{/* What cannot work, each as a sentence that says what to do. Values are named, secrets never shown. All at once. */}}
{{- define "outpost-control-plane.refusals" -}}
{{- $problems := concat (include "outpost-control-plane.databaseRefusals" . | fromJsonArray) (include "outpost-control-plane.pepperRefusals" . | fromJsonArray) (include "outpost-control-plane.encryptionKeyRefusals" . | fromJsonArray) (include "outpost-control-plane.artifactRefusals" . | fromJsonArray) (include "outpost-control-plane.channelRefusals" . | fromJsonArray) (include "outpost-control-plane.otherRefusals" . | fromJsonArray) }}
{{- with $problems }}
{{- fail (printf "\n\n%s\n" (join "\n" .)) }}
{{- end }}
{{- end }}

{{- define "outpost-control-plane.databaseRefusals" -}}
{{- $problems := list }}
{{- $database := .Values.database }}
{{- $given := $database.existingSecret.name }}
{{- $instead := "or set database.type to postgresql, with database.existingSecret.name or database.url." }}
{{- if include "outpost-control-plane.postgresql" . }}
{{- if and $database.url $given }}
{{- $problems = append $problems "database: url and existingSecret.name are both given. Keep one." }}
{{- else if not (or $database.url $given) }}
{{- $problems = append $problems "database: type postgresql needs database.existingSecret.name (a Secret with the URL), or database.url such as postgres://user:password@host:5432/name." }}
{{- else if and $database.url (not (regexMatch "^postgres(ql)?://." $database.url)) }}
{{- $problems = append $problems "database.url must begin with postgres://, such as postgres://user:password@host:5432/name." }}
{{- end }}
{{- else }}
{{- if ne (int .Values.replicas) 1 }}
{{- $problems = append $problems (printf "replicas is %d, but SQLite is a file for exactly one process. Set replicas to 1, %s" (int .Values.replicas) $instead) }}
{{- end }}
{{- if .Values.autoscaling.enabled }}
{{- $problems = append $problems (printf "autoscaling.enabled is true, but SQLite is a file for exactly one process. Set it to false, %s" $instead) }}
{{- end }}
{{- range without .Values.persistence.accessModes "ReadWriteOnce" "ReadWriteOncePod" }}
{{- $problems = append $problems (printf "persistence.accessModes has %s, but SQLite needs a volume that one node writes, and breaks on network file systems. Use ReadWriteOnce or ReadWriteOncePod, %s" . $instead) }}
{{- end }}
{{- if or $database.url $given }}
{{- $problems = append $problems "database: a URL of PostgreSQL is given, but database.type is sqlite. Set database.type to postgresql, or remove database.url and database.existingSecret.name." }}
{{- end }}
{{- if and .Values.persistence.existingClaim (not .Values.persistence.enabled) }}
{{- $problems = append $problems "persistence.existingClaim is given, but persistence.enabled is false. Set it to true, or remove the claim." }}
{{- end }}
{{- end }}
{{- if .Values.backup.enabled }}
{{- if include "outpost-control-plane.postgresql" . }}
{{- $problems = append $problems "backup.enabled is true, but it backs up SQLite, and database.type is postgresql. Set it to false, and use pg_dump or the operator of the database." }}
{{- else if not .Values.persistence.enabled }}
{{- $problems = append $problems "backup.enabled is true, but persistence.enabled is false: no other pod reaches an emptyDir. Set persistence.enabled to true." }}
{{- else if has "ReadWriteOncePod" .Values.persistence.accessModes }}
{{- $problems = append $problems "backup.enabled is true, but persistence.accessModes has ReadWriteOncePod, which keeps the pod of the backup from the volume. Use ReadWriteOnce." }}
{{- end }}
{{- end }}
{{- toJson $problems }}
{{- end }}

{{/*
A pepper that the chart made is found again in the cluster. Where there is no cluster to ask (helm template, as GitOps tools use it), each
rendering would make another one and void all keys. The list of Secrets tells: an empty namespace answers with an empty list, no cluster
with nothing.
*/}}
{{- define "outpost-control-plane.pepperRefusals" -}}
{{- $problems := list }}
{{- $pepper := .Values.keyPepper }}
{{- if and $pepper.value $pepper.existingSecret.name }}
{{- $problems = append $problems "keyPepper: value and existingSecret.name are both given. Keep one." }}
{{- else if and $pepper.value (lt (len $pepper.value) 32) }}
{{- $problems = append $problems (printf "keyPepper.value has %d characters; it needs at least 32, for example those of `openssl rand -hex 32`." (len $pepper.value)) }}
{{- else if and (include "outpost-control-plane.mountsKeyPepper" .) (not $pepper.value) (not $pepper.existingSecret.name) (not (lookup "v1" "Secret" .Release.Namespace "")) }}
{{- $problems = append $problems "keyPepper: helm template, --dry-run=client and GitOps tools cannot ask the cluster for the pepper that was made before, and another one would void every API key. Make a Secret once (kubectl create secret generic outpost-key-pepper --from-literal=pepper=\"$(openssl rand -hex 32)\") and set keyPepper.existingSecret.name to its name." }}
{{- end }}
{{- toJson $problems }}
{{- end }}

{{/* The same for the encryption key: without it the secrets that users stored are lost. */}}
{{- define "outpost-control-plane.encryptionKeyRefusals" -}}
{{- $problems := list }}
{{- $key := .Values.encryptionKey }}
{{- if and $key.value $key.existingSecret.name }}
{{- $problems = append $problems "encryptionKey: value and existingSecret.name are both given. Keep one." }}
{{- else if and $key.value (not (regexMatch "^([0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?)$" $key.value)) }}
{{- $problems = append $problems "encryptionKey.value must be 32 bytes, as 64 hexadecimal digits or as base64, for example those of `openssl rand -hex 32`." }}
{{- else if and (include "outpost-control-plane.mountsEncryptionKey" .) (not $key.value) (not $key.existingSecret.name) (not (lookup "v1" "Secret" .Release.Namespace "")) }}
{{- $problems = append $problems "encryptionKey: helm template, --dry-run=client and GitOps tools cannot ask the cluster for the key that was made before, and with another one the control plane does not start. Make a Secret once (kubectl create secret generic outpost-encryption-key --from-literal=key=\"$(openssl rand -hex 32)\") and set encryptionKey.existingSecret.name to its name." }}
{{- end }}
{{- toJson $problems }}
{{- end }}

{{- define "outpost-control-plane.artifactRefusals" -}}
{{- $problems := list }}
{{- $s3 := .Values.artifacts.s3 }}
{{- $store := include "outpost-control-plane.artifactStore" . }}
{{- if and (eq $store "folder") (include "outpost-control-plane.postgresql" .) }}
{{- $problems = append $problems "artifacts.store is folder, but with PostgreSQL no volume is kept, and replicas do not share one. Use s3 or off." }}
{{- end }}
{{- if eq $store "s3" }}
{{- range $name, $value := dict "bucket" $s3.bucket "existingSecret.name" $s3.existingSecret.name }}
{{- if not $value }}
{{- $problems = append $problems (printf "artifacts.s3.%s is required with artifacts.store s3." $name) }}
{{- end }}
{{- end }}
{{- if contains "@" $s3.endpoint }}
{{- $problems = append $problems "artifacts.s3.endpoint holds a user or a password: the access key comes from artifacts.s3.existingSecret." }}
{{- else if and $s3.endpoint (not (regexMatch `^https?://[^/?#\s]+(/[^?#\s]*)?$` $s3.endpoint)) }}
{{- $problems = append $problems "artifacts.s3.endpoint must be an http or https URL without query, such as https://s3.example.com." }}
{{- end }}
{{- else if or $s3.bucket $s3.existingSecret.name }}
{{- $problems = append $problems (printf "artifacts.s3 is given, but artifacts.store is %s. Set artifacts.store to s3, or remove artifacts.s3." $store) }}
{{- end }}
{{- toJson $problems }}
{{- end }}

{{- define "outpost-control-plane.channelRefusals" -}}
{{- $problems := list }}
{{- $smtp := .Values.alertChannels.smtp }}
{{- if and $smtp.url $smtp.existingSecret.name }}
{{- $problems = append $problems "alertChannels.smtp: url and existingSecret.name are both given. Keep one." }}
{{- else if not (or $smtp.url $smtp.existingSecret.name) }}
{{- if or $smtp.from (ne $smtp.tls "auto") }}
{{- $problems = append $problems "alertChannels.smtp is given, but no mail server. Set alertChannels.smtp.existingSecret.name (a Secret with the URL) or alertChannels.smtp.url, or remove from and tls." }}
{{- end }}
{{- else if and $smtp.url (not (regexMatch `^smtps?://([^/?#@\s]*@)?([^/?#@:\s]+|\[[0-9a-fA-F:.]+\])(:[0-9]{1,5})?/?$` $smtp.url)) }}
{{- $problems = append $problems "alertChannels.smtp.url must be smtp://host:port or smtps://host:port, with user:password@ before the host where the server asks for them; special characters of both are percent-encoded." }}
{{- else if and (hasPrefix "smtps:" $smtp.url) (eq $smtp.tls "off") }}
{{- $problems = append $problems "alertChannels.smtp.tls is off, which is for smtp:// servers, but url begins with smtps://. Set tls to auto, required or unverified." }}
{{- end }}
{{- $egress := .Values.networkPolicy.egress }}
{{- $open := list }}
{{- range $egress.mail.ports }}{{ $open = append $open (int .) }}{{ end }}
{{- $port := regexFind ":[0-9]+/?$" $smtp.url | trimPrefix ":" | trimSuffix "/" | int }}
{{- if and .Values.networkPolicy.enabled $egress.restricted $port (not (has $port $open)) (not $egress.rules) }}
{{- $problems = append $problems (printf "networkPolicy.egress.mail.ports lacks %d, the port of alertChannels.smtp.url. Add it." $port) }}
{{- end }}
{{- range $name, $url := dict "https" .Values.proxy.https "http" .Values.proxy.http "smtp" .Values.proxy.smtp }}
{{- if and $url (not (regexMatch `^https?://([^\s/@]+@)?([A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?/?$` $url)) }}
{{- $problems = append $problems (printf "proxy.%s is not the URL of a proxy. Give one such as http://proxy.example.com:3128." $name) }}
{{- end }}
{{- end }}
{{- if and .Values.proxy.existingSecret.name (not (include "outpost-control-plane.proxyKeys" . | fromJson)) }}
{{- $problems = append $problems "proxy.existingSecret.name is set, but no entry of it. Set httpsKey, httpKey or smtpKey." }}
{{- end }}
{{- if and .Values.networkPolicy.enabled $egress.restricted (include "outpost-control-plane.proxyKeys" . | fromJson) (not $egress.proxy.port) (not $egress.rules) }}
{{- $problems = append $problems "networkPolicy.egress.restricted closes the way to the proxies, whose port stands in the Secret of proxy.existingSecret. Set networkPolicy.egress.proxy.port." }}
{{- end }}
{{- $twilio := .Values.alertChannels.twilio }}
{{- $parts := dict "accountSid" $twilio.accountSid "from" $twilio.from "existingSecret.name" $twilio.existingSecret.name }}
{{- if compact (values $parts) }}
{{- range $name, $value := $parts }}
{{- if not $value }}
{{- $problems = append $problems (printf "alertChannels.twilio.%s is required where another of alertChannels.twilio is set." $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson $problems }}
{{- end }}

{{- define "outpost-control-plane.otherRefusals" -}}
{{- $problems := list }}
{{- $values := .Values }}
{{- if has $values.host (list "127.0.0.1" "::1" "localhost") }}
{{- $problems = append $problems (printf "host is %s: agents, users and probes come from outside the container. Leave it at \"::\", or use 0.0.0.0." $values.host) }}
{{- end }}
{{- if eq (int $values.port) (int $values.probePort) }}
{{- $problems = append $problems (printf "probePort is %d, which is port. Give it another one." (int $values.port)) }}
{{- end }}
{{- if gt (mul 2 $values.config.heartbeatSeconds) (int64 $values.config.leaseSeconds) }}
{{- $problems = append $problems (printf "config.heartbeatSeconds is %d; it may be at most half of config.leaseSeconds (%d), so that one lost heartbeat does not cost a lease." (int $values.config.heartbeatSeconds) (int $values.config.leaseSeconds)) }}
{{- end }}
{{- $drain := add 20 (eq $values.database.type "postgresql" | ternary $values.preStopSeconds 0) }}
{{- if lt (int64 $values.terminationGracePeriodSeconds) $drain }}
{{- $problems = append $problems (printf "terminationGracePeriodSeconds is %d; running requests need %d (preStopSeconds and 20). Set it to %d or more." (int $values.terminationGracePeriodSeconds) $drain (add 5 $drain)) }}
{{- end }}
{{- if $values.autoscaling.enabled }}
{{- if gt (int $values.autoscaling.minReplicas) (int $values.autoscaling.maxReplicas) }}
{{- $problems = append $problems (printf "autoscaling.minReplicas is %d and maxReplicas is %d. The first must not be more than the second." (int $values.autoscaling.minReplicas) (int $values.autoscaling.maxReplicas)) }}
{{- end }}
{{- if not (dig "requests" "cpu" "" $values.resources) }}
{{- $problems = append $problems "autoscaling needs resources.requests.cpu: it counts in percent of it." }}
{{- end }}
{{- end }}
{{- if and $values.ingress.enabled (not $values.ingress.hosts) }}
{{- $problems = append $problems "ingress.enabled is true, but ingress.hosts is empty. Name at least one, such as [{host: outpost.example.com}]." }}
{{- end }}
{{- if and $values.httpRoute.enabled (not $values.httpRoute.parentRefs) }}
{{- $problems = append $problems "httpRoute.enabled is true, but httpRoute.parentRefs is empty. Name the Gateway, such as [{name: public, namespace: gateways}]." }}
{{- end }}
{{- if and $values.httpRoute.backendTls.caConfigMap (not (and $values.httpRoute.enabled $values.tls.existingSecret.name)) }}
{{- $problems = append $problems "httpRoute.backendTls.caConfigMap is for a Gateway that speaks TLS to the control plane. Set httpRoute.enabled and tls.existingSecret.name, or remove it." }}
{{- end }}
{{- with $values.externalSecrets }}
{{- if and .secrets (not .store.name) }}
{{- $problems = append $problems "externalSecrets.secrets is given, but no store. Set externalSecrets.store.name." }}
{{- end }}
{{- if and (include "outpost-control-plane.postgresql" $) $values.migrations.enabled (hasKey .secrets $values.database.existingSecret.name) }}
{{- $problems = append $problems (printf "externalSecrets makes %s, but the migration Job needs it before objects of the release are there. Set migrations.enabled to false, so that the first new pod migrates, or make that ExternalSecret apart from the release." $values.database.existingSecret.name) }}
{{- end }}
{{- end }}
{{- if gt (len (compact (list $values.extraCas.pem $values.extraCas.configMap.name $values.extraCas.secret.name))) 1 }}
{{- $problems = append $problems "extraCas: pem, configMap.name and secret.name exclude each other. Keep one." }}
{{- end }}
{{- if ne (empty $values.oidc.issuer) (empty $values.oidc.clientId) }}
{{- $problems = append $problems "oidc: issuer and clientId belong together. Set both or none." }}
{{- end }}
{{- if ne (empty $values.rootCauseModel.url) (empty $values.rootCauseModel.name) }}
{{- $problems = append $problems "rootCauseModel: url and name belong together. Set both or none." }}
{{- end }}
{{- $own := include "outpost-control-plane.variables" (dict "root" . "database" true "pepper" true "encryption" true "previous" true "s3" true "smtp" true "twilio" true "slack" true "watchdog" true "oidc" true "model" true "telemetry" true) | fromYaml | keys }}
{{- range $values.extraEnv }}
{{- if has .name (concat $own (list "DATABASE_URL" "KEY_PEPPER" "ENCRYPTION_KEY" "ENCRYPTION_KEY_PREVIOUS" "S3_ENDPOINT" "S3_ACCESS_KEY_ID" "S3_SECRET_ACCESS_KEY" "SMTP_URL" "SMTP_FROM" "TWILIO_AUTH_TOKEN" "SLACK_BOT_TOKEN" "WATCHDOG_URL" "OIDC_ISSUER" "OIDC_CLIENT_ID" "OIDC_CLIENT_SECRET" "OIDC_NAME" "ROOT_CAUSE_MODEL_URL" "ROOT_CAUSE_MODEL" "ROOT_CAUSE_MODEL_KEY" "ROOT_CAUSE_MODEL_SECONDS" "ROOT_CAUSE_MODEL_TOKENS" "ROOT_CAUSE_MODEL_DAILY_TOKENS" "OTEL_EXPORTER_OTLP_ENDPOINT" "OTEL_EXPORTER_OTLP_HEADERS" "TRACE_URL_TEMPLATE")) }}
{{- $problems = append $problems (printf "extraEnv: %s is the chart's own. Set the value that it comes from (see README.md), and remove it from extraEnv." .name) }}
{{- end }}
{{- end }}
{{- toJson $problems }}
{{- end }}
