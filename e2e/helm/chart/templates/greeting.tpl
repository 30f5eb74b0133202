apiVersion: greeter.example.com/v1
kind: Greeting
metadata:
  name: {{ .Release.Name }}
spec:
  text: {{ .Values.greeting | quote }}
