import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inputWrapper, wrapperIn } from './input-wrapper.js'

test('the command line of a container client names the program that it starts elsewhere', () => {
  expect(wrapperIn(['/usr/bin/docker', 'run', '-i', 'agent'])).toBe('docker')
  expect(wrapperIn(['env', 'A=b', 'ssh', 'host', 'agent'])).toBe('ssh')
  expect(wrapperIn(['goose', 'acp'])).toBeNull()
})

/** Runs a program that says when it reads, with a child process of this name. */
async function running(script: string, check: (pid: number) => void): Promise<void> {
  const child = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  await new Promise(resolve => child.stdout.once('data', resolve))
  check(child.pid!)
  child.stdin.end()
  await new Promise(resolve => child.once('close', resolve))
}

test.runIf(process.platform === 'linux')(
  'a script that passes its input to a container client is detected',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'signalbox-elsewhere-'))
    const docker = join(directory, 'docker')
    writeFileSync(docker, '#!/bin/sh\necho ready\nread line\n')
    chmodSync(docker, 0o755)
    try {
      await running(`${docker}; true`, pid => expect(inputWrapper(pid)).toBe('docker'))
      const pipe = join(directory, 'pipe')
      await running(`mkfifo ${pipe}; ${docker} <>${pipe} & cat; kill $!`, pid => expect(inputWrapper(pid)).toBeNull())
    } finally {
      rmSync(directory, { recursive: true })
    }
  },
)
