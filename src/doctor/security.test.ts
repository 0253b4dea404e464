import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { examineSecurity } from './security.js'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'signalbox-doctor-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const context = () => ({
  env: { PATH: process.env.PATH, HOME: home, SIGNALBOX_HOME: join(home, 'home') },
  cwd: home,
})

async function findings(config = ''): Promise<Map<string, { level: string; message: string; next?: string }>> {
  const directory = join(home, 'home', 'config')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(join(directory, 'config.toml'), config, { mode: 0o600 })
  return new Map((await examineSecurity(context())).map(finding => [finding.check, finding]))
}

describe('doctor --security', () => {
  test('reports a fresh home as closed, with nothing trusted', async () => {
    const found = await findings()
    for (const check of ['modes', 'bind', 'hooks', 'trust', 'ledger']) expect(found.get(check)?.level, check).toBe('ok')
    expect(found.get('deciders')).toMatchObject({ level: 'note', next: expect.stringContaining('decide_from') })
  })

  test('reports a directory and a secret that other users can read', async () => {
    await findings()
    const state = join(home, 'home', 'state')
    const token = join(state, 'token')
    mkdirSync(state, { recursive: true })
    writeFileSync(token, 'secret')
    chmodSync(token, 0o644)
    chmodSync(state, 0o755)
    expect((await findings()).get('modes')).toMatchObject({
      level: 'error',
      message: expect.stringContaining(token),
      next: expect.stringContaining('chmod go-rwx'),
    })
    // No other user can enter the directory now, so the file in it is closed too.
    expect((await findings()).get('modes')!.level).toBe('ok')
  })

  test('lists what an exposed server still lacks', async () => {
    const found = await findings('[server]\nbind = "0.0.0.0"\n')
    expect(found.get('bind')).toMatchObject({ level: 'error', next: expect.stringContaining('server.passphrase_file') })
  })

  test('lists who decides, and what workers may do unattended', async () => {
    const found = await findings('[approvals]\ndecide_from = ["web"]\n[oneshot]\npermissions = "all"\n')
    expect(found.get('deciders')!.level).toBe('ok')
    expect(found.get('permissions')!.level).toBe('warning')
    const unset = (await findings('')).get('permissions')
    expect(unset).toMatchObject({ level: 'ok', message: expect.stringContaining('ask, or edits') })
  })

  test('reports settings that cannot be read', async () => {
    expect([...(await findings('server = ['))][0]?.[1].level).toBe('error')
  })
})
