// The peer of bench/runtime: the same work as ours.ts, by controller-runtime. Prints one line of JSON.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func main() {
	selector := flag.String("selector", "", "label of the objects to look at")
	count := flag.Int64("count", 0, "how many there are")
	write := flag.Bool("write", false, "apply a child for each")
	flag.Parse()
	// Ours logs no runs either.
	ctrl.SetLogger(logr.Discard())
	if err := run(*selector, *count, *write); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(selector string, count int64, write bool) error {
	began := time.Now()
	// By the flag -kubeconfig, which controller-runtime defines.
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	chosen, err := labels.Parse(selector)
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Metrics: server.Options{BindAddress: "0"},
		Cache: cache.Options{
			ByObject: map[client.Object]cache.ByObject{
				&corev1.ConfigMap{}: {Label: chosen, Transform: cache.TransformStripManagedFields()},
			},
		},
	})
	if err != nil {
		return err
	}
	var done atomic.Int64
	var first atomic.Int64
	finished := make(chan struct{})
	api := manager.GetClient()
	work := reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		first.CompareAndSwap(0, int64(time.Since(began)))
		var object corev1.ConfigMap
		if err := api.Get(ctx, request.NamespacedName, &object); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		if write {
			child := applycore.ConfigMap("go-child-of-"+object.Name, object.Namespace).
				WithData(map[string]string{"of": object.Name})
			if err := api.Apply(ctx, child, client.FieldOwner("bench-go"), client.ForceOwnership); err != nil {
				return reconcile.Result{}, err
			}
		}
		if done.Add(1) == count {
			close(finished)
		}
		return reconcile.Result{}, nil
	})
	err = ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4}).Complete(work)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		if err := manager.Start(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}()
	<-finished
	total := time.Since(began)
	sync := time.Duration(first.Load())
	return json.NewEncoder(os.Stdout).Encode(map[string]float64{
		"syncMs":    float64(sync.Milliseconds()),
		"perSecond": float64(count) / (total - sync).Seconds(),
		"cpuMs":     cpu(),
		"rssMiB":    rss(),
	})
}

func cpu() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

func rss() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(status), "\n") {
		var kib float64
		if _, err := fmt.Sscanf(line, "VmRSS: %f kB", &kib); err == nil {
			return kib / 1024
		}
	}
	return 0
}
