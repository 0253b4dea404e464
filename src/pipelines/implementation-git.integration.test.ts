import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { plan, writesPlan } from './testing/scripted-agents.js'
import { dataOf, fixture, useFixture } from './testing/use-fixture.js'

useFixture()

describe('an implementation run in a repository', () => {
  test('leaves a dirty file unchanged and uncommitted if it works in place', async () => {
    fixture.git('checkout', '-q', '-b', 'own')
    writeFileSync(join(fixture.repository, 'a.txt'), 'mine, unfinished\n')
    writeFileSync(join(fixture.repository, 'notes.txt'), 'private\n')
    const base = fixture.git('rev-parse', 'HEAD')
    const workspace = {
      mode: 'in_place' as const,
      path: fixture.repository,
      branch: 'own',
      base,
      isNewBranch: false,
      dirtyBefore: ['a.txt', 'notes.txt'],
    }
    const run = await fixture.implement({ workspace })
    expect(run.pipeline.state.outcome).toBe('approved')
    expect(fixture.git('status', '--porcelain')).toBe('M a.txt\n?? notes.txt')
    expect(fixture.git('log', '--format=', '--name-only', 'main..own').split('\n').filter(Boolean).sort()).toEqual(
      [run.pipeline.state.plan_path, 'f1.txt', 'f2.txt'].sort(),
    )
  })

  test('shows a hook that rejects a commit, which is then fixed, skipped by a person, or ends the run', async () => {
    const hook = join(fixture.repository, '.git', 'hooks', 'pre-commit')
    writeFileSync(hook, '#!/bin/sh\necho "no lamp without a fuse" >&2\ntest -f fuse.txt\n')
    chmodSync(hook, 0o755)
    fixture.script({
      architect: [writesPlan(plan(1))],
      developer: [{ files: { 'f1.txt': 'x' } }, { files: { 'fuse.txt': 'x' } }],
    })
    const waiting = await fixture.implement()
    expect(waiting.record.status).toBe('waiting')
    expect((await fixture.asked(waiting.id)).input).toMatchObject({
      gate: 'hook',
      output: expect.stringContaining('no lamp without a fuse'),
    })
    const run = await fixture.answer(waiting.id, 'fix')
    expect(fixture.agents.prompts('developer')[1]).toContain('no lamp without a fuse')
    expect(run.pipeline.state.outcome).toBe('approved')

    fixture.newRepository()
    writeFileSync(hook, '#!/bin/sh\nexit 1\n')
    chmodSync(hook, 0o755)
    fixture.script({ architect: [writesPlan(plan(1))] })
    const second = await fixture.implement()
    expect((await fixture.answer(second.id, 'bypass')).record.status).toBe('completed')
  })

  test('adds files that a hook changed and commits again', async () => {
    const hook = join(fixture.repository, '.git', 'hooks', 'pre-commit')
    writeFileSync(hook, '#!/bin/sh\ntest -f formatted.txt || { echo x > formatted.txt; exit 1; }\n')
    chmodSync(hook, 0o755)
    fixture.script({ architect: [writesPlan(plan(1))] })
    const run = await fixture.implement()
    expect(run.record.status).toBe('completed')
    expect(fixture.git('show', '--stat', '--format=', 'signalbox/lamp')).toContain('formatted.txt')
  })

  test('leaves an existing branch unchanged, and recreates a vanished worktree from its branch', async () => {
    fixture.git('branch', 'signalbox/lamp')
    const id = await fixture.create()
    const run = await fixture.drive(id)
    expect(run.pipeline.state.branch).toBe('signalbox/lamp-2')
    rmSync(run.pipeline.state.worktree!, { recursive: true, force: true })
    const done = await fixture.answer(id, 'approve')
    expect(done.pipeline.state.outcome).toBe('approved')
    expect(fixture.commits('signalbox/lamp-2')).toHaveLength(2)
    expect(dataOf(done, 'run.notice').some(({ text }) => /was missing and was recreated/.test(String(text)))).toBe(true)
  })

  test('does not commit over a merge conflict', async () => {
    const conflict = (turn: { cwd: string }) => {
      const git = (...args: string[]) => fixture.gitIn(turn.cwd, ...args)
      fixture.writeIn(turn.cwd, 'a.txt', 'ours\n')
      git('commit', '-qam', 'ours')
      git('checkout', '-q', '-b', 'other', 'main')
      fixture.writeIn(turn.cwd, 'a.txt', 'theirs\n')
      git('commit', '-qam', 'theirs')
      git('checkout', '-q', 'signalbox/lamp')
      try {
        git('merge', 'other')
      } catch {
        // The conflict is what the test needs.
      }
      return {}
    }
    fixture.script({ architect: [writesPlan(plan(1))], developer: [conflict] })
    const run = await fixture.implement()
    expect(run.record.status).toBe('failed')
    expect(dataOf(run, 'run.failed')[0]).toMatchObject({ text: expect.stringContaining('merge conflict in a.txt') })
  })

  test('leaves neither worktree nor branch when it changed nothing', async () => {
    fixture.script({
      architect: [writesPlan(plan(1))],
      developer: [
        turn => {
          rmSync(join(turn.cwd, 'docs'), { recursive: true })
          return {}
        },
      ],
    })
    const run = await fixture.implement()
    expect(run.types).toContain('worktree.removed')
    expect(fixture.git('branch', '--list', 'signalbox/*')).toBe('')
  })
})
