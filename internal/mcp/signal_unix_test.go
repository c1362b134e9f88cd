//go:build unix

package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"

	"board/internal/store"
)

func TestASignalLetsTheCallUnderWayFinish(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			inR, inW := io.Pipe()
			defer func() { _ = inW.Close() }()
			under, free := make(chan struct{}), make(chan struct{})
			o := noBoard()
			o.Open = func(context.Context) (*store.DB, error) {
				close(under)
				<-free
				return nil, errors.New("opened")
			}
			var out bytes.Buffer
			o.In, o.Out = inR, &out
			done := make(chan error, 1)
			go func() { done <- Serve(t.Context(), o) }()
			if _, err := io.WriteString(inW, slowCall+"\n"); err != nil {
				t.Fatal(err)
			}
			<-under // Serve listens to signals by now
			if err := syscall.Kill(os.Getpid(), sig); err != nil {
				t.Fatal(err)
			}
			close(free)
			if err := <-done; err != nil {
				t.Error(err)
			}
			toAnswer(t, parse(t, out.String()))
		})
	}
}
