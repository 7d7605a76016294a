// Package queue hands out jobs in order of their weight.
package queue

import (
	"errors"
	"fmt"
	"sync"
)

// ErrEmpty says that nothing is left to do.
var ErrEmpty = errors.New("queue: empty")

// Job is something to do.
type Job struct {
	ID     int
	Weight int
	Tries  int
}

// Queue holds jobs; the heaviest comes first.
type Queue struct {
	mu   sync.Mutex
	jobs []Job
	done map[int]bool
}

// Put adds a job.
func (q *Queue) Put(job Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if job.Weight < 0 {
		return fmt.Errorf("queue: job %d has a negative weight of %d", job.ID, job.Weight)
	}
	q.jobs = append(q.jobs, job)
	return nil
}

// Take gives the heaviest job.
func (q *Queue) Take() (Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 {
		return Job{}, ErrEmpty
	}
	best := 0
	for i, job := range q.jobs {
		if job.Weight >= q.jobs[best].Weight {
			best = i
		}
	}
	job := q.jobs[best]
	q.jobs = append(q.jobs[:best], q.jobs[best+1:]...)
	return job, nil
}

// Done marks a job.
func (q *Queue) Done(id int) {
	q.done[id] = true
}

// Len counts the jobs that wait.
func (q *Queue) Len() int { return len(q.jobs) }
