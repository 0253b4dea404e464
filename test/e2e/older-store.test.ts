import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadDriver } from '../../src/store/index.js'
import type { SessionInfo } from './harness.js'
import { waitFor } from './harness.js'
import { InsideHome } from './inside.js'

/*
 * A backup of every released version, made in the middle of work: a session whose agent asks, and a
 * run that waits at a gate. Files are only added here: every later version opens and continues
 * them.
 */
const OLDER = fileURLToPath(new URL('../store/older/', import.meta.url))

let home: InsideHome
beforeEach(() => {
  home = new InsideHome()
})
afterEach(() => home.close())

describe.each(readdirSync(OLDER))('the store of %s', file => {
  it('is opened and continued: its run completes, its session is readable, its requests are closed', async () => {
    await home.ok(['restore', join(OLDER, file)])
    // The agent of the store ran before any process of this test: none is proven to be a person's.
    mkdirSync(home.path('config'), { recursive: true })
    appendFileSync(home.path('config', 'config.toml'), 'approvals.unproven = "allow"\n')
    const [session] = await home.json<SessionInfo[]>(['sessions', '--all', '--json'])
    expect(session?.state).toBe('lost')
    const pending = await home.json<{ id: string; kind: string }[]>(['approvals', '--json'])
    expect(pending.map(({ kind }) => kind)).toEqual(['gate'])
    expect((await home.ok(['replay', session!.id, '--markdown'])).stdout).toContain('whole cents')

    await home.ok(['answer', pending[0]!.id, '[Y] Yes'])
    await waitFor('the run to end', async () => {
      const [run] = await home.json<{ status: string }[]>(['runs', '--json'])
      return run?.status === 'completed'
    })
    const checks = await home.run(['doctor', '--security', '--json'])
    expect(checks.stdout).not.toContain('chain is broken')
  })
})

describe('a store of a newer version', () => {
  it('is reported by every command and by the daemon, and left unchanged', async () => {
    await home.ok(['restore', join(OLDER, readdirSync(OLDER)[0]!)], { input: '' })
    const path = home.path('data', 'signalbox.db')
    const driver = await loadDriver()
    const database = new driver(path)
    database.exec("UPDATE meta SET value = '99' WHERE key = 'schema_version'")
    database.close()
    const state = () => {
      const names = readdirSync(home.path('data')).filter(name => name.startsWith('signalbox.db'))
      return names.map(name => [
        name,
        createHash('sha256')
          .update(readFileSync(home.path('data', name)))
          .digest('hex'),
      ])
    }
    const before = state()
    for (const command of [['serve'], ['status'], ['runs'], ['export', '--all', '-o', 'out']]) {
      const result = await home.run(command, { input: '' })
      expect([command[0], result.code, result.stderr]).toEqual([
        command[0],
        6,
        expect.stringContaining('has schema 99'),
      ])
    }
    expect(state().filter(([name]) => name === 'signalbox.db')).toEqual(
      before.filter(([name]) => name === 'signalbox.db'),
    )
  })
})
