import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  DEFAULT_LIMITS,
  routeAfterCommit,
  routeAfterEvaluation,
  routeAfterFixes,
  routeAfterItems,
  routeAfterReview,
  routeAfterTaskReview,
  routeAfterValidation,
} from './routing.js'

interface Vector {
  reviews: boolean[]
  index: number
  total: number
  iteration: number
  max: number | null
  route: string
  after_commit: string | null
}

const vectors = JSON.parse(
  readFileSync(new URL('./fixtures/route-after-review.json', import.meta.url), 'utf8'),
) as Vector[]

test('the route after a task review matches every vector', () => {
  expect(vectors.length).toBeGreaterThan(100)
  for (const vector of vectors) {
    const { reviews, iteration, max } = vector
    const route = routeAfterTaskReview({ reviews, iteration, maxReviews: max ?? DEFAULT_LIMITS.maxTaskReviews })
    expect(route, JSON.stringify(vector)).toBe(vector.route)
    if (route === 'commit_task')
      expect(routeAfterCommit({ current_task_index: vector.index, total_tasks: vector.total })).toBe(
        vector.after_commit,
      )
  }
})

test('an invalid plan goes back to the Architect up to the limit; a person’s own plan goes to them', () => {
  const invalid = { valid: false, issues: ['no_goal'], severity: 'major' as const }
  const at = (count: number, external = false) =>
    routeAfterValidation(
      { plan_validation: invalid, plan_revision_count: count, external_plan: external },
      DEFAULT_LIMITS,
    )
  expect([at(0), at(2), at(3), at(0, true)]).toEqual(['architect', 'architect', 'human_approval', 'human_approval'])
})

test('a review ends, is evaluated, asks and is fixed as its table defines', () => {
  expect(routeAfterReview({ items: 0 })).toBe('finish')
  expect(routeAfterReview({ items: 2 })).toBe('evaluator')
  expect(routeAfterEvaluation({ mode: 'review_only', toDecide: 2 })).toBe('finish')
  expect(routeAfterEvaluation({ mode: 'review_fix', toDecide: 0 })).toBe('finish')
  expect(routeAfterEvaluation({ mode: 'review_fix', toDecide: 1 })).toBe('items')
  expect(routeAfterItems({ approved: 0, isPull: false })).toBe('finish')
  expect(routeAfterItems({ approved: 1, isPull: false })).toBe('developer')
  expect(routeAfterItems({ approved: 0, isPull: true })).toBe('answer')
  const fixes = (pass: number, isPull = false) => routeAfterFixes({ pass, maxPasses: 3, isPull })
  expect([fixes(1), fixes(3), fixes(1, true)]).toEqual(['reviewer', 'finish', 'answer'])
})
