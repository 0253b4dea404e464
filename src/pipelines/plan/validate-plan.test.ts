import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { planSections } from '../prompts/role-prompts.js'
import { freePlanPath, resolvePlanPath, slugOf } from './plan-path.js'
import { withSidecar } from './plan-sidecar.js'
import { BLOCKING_ISSUES, looksLikePlan, validatePlan } from './validate-plan.js'

interface Vector {
  name: string
  plan: string
  goal: string | null
  valid: boolean
  severity: string
  issues: string[]
  task_count: number
  titles: (string | null)[]
  looks_like_plan: boolean
  key_files: string[]
  sections: string[]
}

const vectors = JSON.parse(
  readFileSync(new URL('../fixtures/plan-validator.json', import.meta.url), 'utf8'),
) as Vector[]

describe.each(vectors)('plan "$name"', vector => {
  const report = validatePlan(vector.plan)

  test('is validated as expected', () => {
    const blocking = report.issues.filter(issue => (BLOCKING_ISSUES as readonly string[]).includes(issue))
    expect({ ...report, issues: blocking }).toMatchObject({
      isValid: vector.valid,
      severity: vector.severity,
      issues: vector.issues,
      goal: vector.goal,
      taskCount: vector.task_count,
      keyFiles: vector.key_files,
    })
    const titles = [0, 1, 2].map(index => report.titles[index] ?? null)
    expect(titles).toEqual(vector.titles)
    expect(looksLikePlan(vector.plan)).toBe(vector.looks_like_plan)
  })

  test('is split into its tasks', () => {
    expect(planSections(vector.plan)).toEqual(vector.sections)
  })
})

describe('validatePlan', () => {
  const fenced = '```md\n### Task 9: an example\n```'
  const text = `# Lamp\n\n**Goal:** g\n\n${fenced}\n\n## Phase 1: Base\n\n### Task 1.1:\n\nfoot\n\n### Task 1.2: Pole\n\npole\n\n## Phase 2: Light\n\n### Task 2.1: Bulb\n\nbulb\n\n## Summary\n\nall\n`
  const [first, second, third] = planSections(text)

  test('does not count a header in a code fence as a task', () => {
    expect(validatePlan(text).numbers).toEqual(['1.1', '1.2', '2.1'])
    expect(planSections(text)).toHaveLength(3)
  })

  test('ends a task where its phase ends', () => {
    expect(second).toMatch(/## Phase 1: Base\n\n### Task 1\.2: Pole\n\npole$/)
    expect(second).not.toContain('Phase 2')
    expect(third).toMatch(/## Phase 2: Light\n\n### Task 2\.1: Bulb\n\nbulb$/)
  })

  test('gives each task its own section if there are no phases', () => {
    const flat = planSections('# Lamp\n\n### Task 1: a\n\none\n\n### Task 2: b\n\ntwo\n')
    expect(flat).toEqual(['# Lamp\n\n---\n\n### Task 1: a\n\none', '# Lamp\n\n---\n\n### Task 2: b\n\ntwo'])
  })

  test('keeps the position of a task without a title', () => {
    expect(validatePlan(text).titles).toEqual([null, 'Pole', 'Bulb'])
    expect(first).toMatch(/### Task 1\.1:\n\nfoot$/)
  })
})

test('validatePlan reports duplicate numbers and tasks without a body, without blocking on them', () => {
  const filler = 'Words that make it long enough to be a plan, again and again. '.repeat(5)
  const report = validatePlan(`# T\n\n**Goal:** g\n\n### Task 1: A\n${filler}\n\n### Task 1: B\n\n## Summary\n`)
  expect(report).toMatchObject({ isValid: true, issues: ['duplicate_task_number', 'task_without_body'] })
})

test('the goal of a plan ends at a bold label, and files are found with and without backticks', () => {
  const report = validatePlan(
    '# T\n\n**Goal:** one\ntwo\n**Architecture:** x\n\n- Modify: src/a.ts:10-12\n* **Create:** `b c.txt`\nUpdate: it',
  )
  expect(report.goal).toBe('one two')
  expect(report.keyFiles).toEqual(['src/a.ts', 'b c.txt'])
})

test('the path of a plan contains the day on which the run was created', () => {
  const pattern = 'docs/{date}/{issue_key}-{run}.md'
  const made = { createdAt: Date.UTC(2026, 0, 31, 23, 59), issueKey: 'ABC-12: Käse!', run: 'run_0123456789AB' }
  expect(resolvePlanPath(pattern, made)).toBe('docs/2026-01-31/abc-12-k-se-456789ab.md')
  expect(() => resolvePlanPath('../{date}.md', made)).toThrow(/leaves the repository/)
  expect(slugOf('***')).toBe('task')
  expect(freePlanPath('a/b.md', path => path === 'a/b.md' || path === 'a/b-2.md')).toBe('a/b-3.md')
})

test('a structured file next to the plan is used if the task counts agree', () => {
  const report = validatePlan('### Task 1: a\n### Task 2: b\n')
  const task = (title: string) => ({
    number: 1,
    title,
    files_to_create: [`${title}.ts`],
    files_to_modify: [],
    steps: ['x'],
  })
  const two = JSON.stringify({ goal: 'g', tasks: [task('one'), task('two')] })
  expect(withSidecar(report, two).report).toMatchObject({ titles: ['one', 'two'], keyFiles: ['one.ts', 'two.ts'] })
  const one = withSidecar(report, JSON.stringify({ goal: 'g', tasks: [task('one')] }))
  expect(one).toMatchObject({
    report: { titles: ['a', 'b'] },
    notice: expect.stringMatching(/1 tasks and the plan has 2/),
  })
  expect(withSidecar(report, '{').notice).toMatch(/ignored/)
})
