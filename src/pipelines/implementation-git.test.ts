import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { plan, writesPlan } from './testing/scripted-agents.js'
import { bench, dataOf, useBench } from './testing/use-bench.js'

useBench()

describe('git', () => {
  test('`git add -A` in the person’s own tree: in place, a dirty file stays as it was and out of the commit', async () => {
    bench.git('checkout', '-q', '-b', 'own')
    writeFileSync(join(bench.repository, 'a.txt'), 'mine, unfinished\n')
    writeFileSync(join(bench.repository, 'notes.txt'), 'private\n')
    const base = bench.git('rev-parse', 'HEAD')
    const place = {
      mode: 'in_place' as const,
      path: bench.repository,
      branch: 'own',
      base,
      isNewBranch: false,
      dirtyBefore: ['a.txt', 'notes.txt'],
    }
    const run = await bench.implement({ place })
    expect(run.pipeline.state.outcome).toBe('approved')
    expect(bench.git('status', '--porcelain')).toBe('M a.txt\n?? notes.txt')
    expect(bench.git('log', '--format=', '--name-only', 'main..own').split('\n').filter(Boolean).sort()).toEqual(
      [run.pipeline.state.plan_path, 'f1.txt', 'f2.txt'].sort(),
    )
  })

  test('a hook that refuses is shown; the Developer settles it, or a person goes past it, or it ends', async () => {
    const hook = join(bench.repository, '.git', 'hooks', 'pre-commit')
    writeFileSync(hook, '#!/bin/sh\necho "no lamp without a fuse" >&2\ntest -f fuse.txt\n')
    chmodSync(hook, 0o755)
    bench.script({
      architect: [writesPlan(plan(1))],
      developer: [{ files: { 'f1.txt': 'x' } }, { files: { 'fuse.txt': 'x' } }],
    })
    const waiting = await bench.implement()
    expect(waiting.record.status).toBe('waiting')
    expect((await bench.asked(waiting.id)).input).toMatchObject({
      gate: 'hook',
      output: expect.stringContaining('no lamp without a fuse'),
    })
    const run = await bench.answer(waiting.id, 'fix')
    expect(bench.agents.prompts('developer')[1]).toContain('no lamp without a fuse')
    expect(run.pipeline.state.outcome).toBe('approved')

    bench.newRepository()
    writeFileSync(hook, '#!/bin/sh\nexit 1\n')
    chmodSync(hook, 0o755)
    bench.script({ architect: [writesPlan(plan(1))] })
    const second = await bench.implement()
    expect((await bench.answer(second.id, 'bypass')).record.status).toBe('completed')
  })

  test('a hook that only changes files is given them, once', async () => {
    const hook = join(bench.repository, '.git', 'hooks', 'pre-commit')
    writeFileSync(hook, '#!/bin/sh\ntest -f formatted.txt || { echo x > formatted.txt; exit 1; }\n')
    chmodSync(hook, 0o755)
    bench.script({ architect: [writesPlan(plan(1))] })
    const run = await bench.implement()
    expect(run.record.status).toBe('completed')
    expect(bench.git('show', '--stat', '--format=', 'signalbox/lamp')).toContain('formatted.txt')
  })

  test('a branch that somebody has already is left alone; a worktree that vanished is made anew from its branch', async () => {
    bench.git('branch', 'signalbox/lamp')
    const id = await bench.create()
    const run = await bench.drive(id)
    expect(run.pipeline.state.branch).toBe('signalbox/lamp-2')
    rmSync(run.pipeline.state.worktree!, { recursive: true, force: true })
    const done = await bench.answer(id, 'approve')
    expect(done.pipeline.state.outcome).toBe('approved')
    expect(bench.commits('signalbox/lamp-2')).toHaveLength(2)
    expect(dataOf(done, 'run.notice').some(({ text }) => /was gone and is made anew/.test(String(text)))).toBe(true)
  })

  test('a merge conflict is not committed over', async () => {
    const conflict = (turn: { cwd: string }) => {
      const git = (...args: string[]) => bench.gitIn(turn.cwd, ...args)
      bench.writeIn(turn.cwd, 'a.txt', 'ours\n')
      git('commit', '-qam', 'ours')
      git('checkout', '-q', '-b', 'other', 'main')
      bench.writeIn(turn.cwd, 'a.txt', 'theirs\n')
      git('commit', '-qam', 'theirs')
      git('checkout', '-q', 'signalbox/lamp')
      try {
        git('merge', 'other')
      } catch {
        // The conflict is what the test is about.
      }
      return {}
    }
    bench.script({ architect: [writesPlan(plan(1))], developer: [conflict] })
    const run = await bench.implement()
    expect(run.record.status).toBe('failed')
    expect(dataOf(run, 'run.failed')[0]).toMatchObject({ text: expect.stringContaining('merge conflict in a.txt') })
  })

  test('a run that changes nothing leaves neither worktree nor branch', async () => {
    bench.script({
      architect: [writesPlan(plan(1))],
      developer: [
        turn => {
          rmSync(join(turn.cwd, 'docs'), { recursive: true })
          return {}
        },
      ],
    })
    const run = await bench.implement()
    expect(run.types).toContain('worktree.removed')
    expect(bench.git('branch', '--list', 'signalbox/*')).toBe('')
  })
})
