package queue

import (
	"errors"
	"fmt"
	"testing"
)

func TestTakeFromEmpty(t *testing.T) {
	if _, err := new(Queue).Take(); !errors.Is(err, ErrEmpty) {
		t.Fatalf("want ErrEmpty, got %v", err)
	}
}

func TestHeaviestFirst(t *testing.T) {
	var q Queue
	for id, weight := range []int{3, 9, 1, 7} {
		if err := q.Put(Job{ID: id, Weight: weight}); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int{1, 3, 0, 2} {
		t.Run(fmt.Sprintf("job %d", want), func(t *testing.T) {
			if job, _ := q.Take(); job.ID != want {
				t.Errorf("want job %d, got %+v", want, job)
			}
		})
	}
}

func TestEqualWeightsKeepTheirOrder(t *testing.T) {
	var q Queue
	for id := 0; id < 3; id++ {
		_ = q.Put(Job{ID: id, Weight: 5})
	}
	for want := 0; want < 3; want++ {
		if job, _ := q.Take(); job.ID != want {
			t.Errorf("queue_test: want job %d, got job %d", want, job.ID)
		}
	}
}

func TestNegativeWeights(t *testing.T) {
	for _, weight := range []int{-1, -20, 0, 4} {
		t.Run(fmt.Sprint(weight), func(t *testing.T) {
			err := new(Queue).Put(Job{Weight: weight})
			if (err != nil) != (weight < 0) {
				t.Errorf("weight %d: %v", weight, err)
			}
		})
	}
}

func TestSlowJobs(t *testing.T) {
	t.Skip("needs a clock that can be set")
}

func TestDone(t *testing.T) {
	var q Queue
	_ = q.Put(Job{ID: 4, Weight: 1})
	q.Done(4)
}
