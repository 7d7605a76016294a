// Worker runs until two of its parts wait for each other.
package main

import (
	"fmt"
	"sync"
)

type shelf struct {
	name  string
	mu    sync.Mutex
	items map[string]int
}

func move(from, to *shelf, item string, ready *sync.WaitGroup) {
	from.mu.Lock()
	defer from.mu.Unlock()
	ready.Done()
	ready.Wait()
	to.mu.Lock()
	defer to.mu.Unlock()
	from.items[item]--
	to.items[item]++
	fmt.Println("moved", item, "from", from.name, "to", to.name)
}

func main() {
	front := &shelf{name: "front", items: map[string]int{"tea": 3}}
	back := &shelf{name: "back", items: map[string]int{"tea": 9}}
	var ready, done sync.WaitGroup
	ready.Add(2)
	done.Add(2)
	go func() { defer done.Done(); move(front, back, "tea", &ready) }()
	go func() { defer done.Done(); move(back, front, "tea", &ready) }()
	done.Wait()
}
