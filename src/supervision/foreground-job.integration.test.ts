import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nodePty from '@lydell/node-pty'
import { afterAll, expect, it } from 'vitest'
import { describeNeeding } from '../../test/support/requirements.js'
import { isOwnSurface } from './foreground-job.js'

describeNeeding('linux', 'the detection of Signalbox in a pane', () => {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-own-'))
  const program = join(directory, 'signalbox')
  writeFileSync(program, '#!/bin/sh\necho ready\nread line\n')
  chmodSync(program, 0o755)
  afterAll(() => rmSync(directory, { recursive: true }))

  it.each([
    ['alone', program, [], true],
    ['below a shell', 'bash', ['-c', `${program}; :`], true],
    ['behind a relay', 'script', ['-qc', `${program}; :`, '/dev/null'], true],
    ['in the background', 'bash', ['-mc', `${program} & echo ready; exec sleep 99`], false],
  ])('gives the right result for Signalbox %s', async (_where, file, args, isOwn) => {
    const env = { PATH: process.env.PATH ?? '', TERM: 'xterm' }
    const terminal = nodePty.spawn(file, args, { cols: 80, rows: 24, cwd: '/', env })
    try {
      await new Promise<void>(resolve => terminal.onData(text => text.includes('ready') && resolve()))
      const own = (agent: string | null) => isOwnSurface(terminal.pid, { isShell: false, agent })
      expect(own(null)).toBe(isOwn)
      // What an agent has started is one of its tools.
      expect(own('claude')).toBe(isOwn && file === program)
    } finally {
      terminal.kill('SIGKILL')
    }
  })
})
