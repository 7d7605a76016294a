{{- define "tersely.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "tersely.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tersely.labels" -}}
{{ include "tersely.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "tersely.secret" -}}
{{ .Values.secret.existing | default (include "tersely.name" .) }}
{{- end }}

{{- define "tersely.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{/* The configuration file: what the values say, and what the rest of the chart relies on. */}}
{{- define "tersely.config" -}}
{{- $timeouts := dict "notice" (printf "%ds" (int .Values.drain.notice)) "drain" (printf "%ds" (int .Values.drain.streams)) }}
{{- $ours := dict "listen" "0.0.0.0:8787" "admin" (dict "listen" "0.0.0.0:9464") "timeouts" $timeouts }}
{{- if .Values.tls.secret }}
{{- $tls := dict "cert" "/etc/tersely-tls/tls.crt" "key" "/etc/tersely-tls/tls.key" }}
{{- if .Values.tls.askClients }}{{ $_ := set $tls "client_ca" "/etc/tersely-tls/ca.crt" }}{{ end }}
{{- $_ := set $ours "tls" $tls }}
{{- end }}
{{- mergeOverwrite (deepCopy .Values.config) $ours | toYaml }}
{{- end }}
