// Command second-server is an independent server of Afterword's wire contract, written from the contract's text alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	configFile := flag.String("config", "config.json", "`file` with the database, projects, keys and surveys")
	listen := flag.String("listen", "127.0.0.1:8080", "`address` to listen on; port 0 picks a free one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, *configFile, *listen); err != nil {
		fmt.Fprintln(os.Stderr, "second-server:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends, then finishes the requests that have begun and closes the database.
func run(ctx context.Context, configFile, listen string) (err error) {
	cfg, err := loadConfig(configFile)
	if err != nil {
		return err
	}
	st, err := openStore(ctx, cfg)
	if err != nil {
		return fmt.Errorf("open database %s: %w", cfg.Database, err)
	}
	defer func() { err = errors.Join(err, st.close()) }()
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	web := &http.Server{Handler: newServer(cfg, st, time.Now), ReadTimeout: 30 * time.Second, IdleTimeout: time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	fmt.Printf("listening on http://%s\n", listener.Addr())
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return web.Shutdown(drain)
}
