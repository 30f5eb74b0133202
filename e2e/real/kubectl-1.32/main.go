// The real kubectl 1.32, from its library: what cmd/kubectl of Kubernetes does.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

func main() {
	if cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()) != nil {
		os.Exit(1)
	}
}
