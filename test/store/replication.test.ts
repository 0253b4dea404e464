import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/clock/index.js'
import { openStore } from '../../src/store/index.js'
import { InsideHome } from '../e2e/inside.js'
import { OwnPostgres } from '../support/own-postgres.js'
import { describeNeeding } from '../support/requirements.js'
import { waitFor } from '../support/wait-for.js'

describeNeeding('postgres', 'doctor for a database with a standby', () => {
  let primary: OwnPostgres
  let standby: OwnPostgres
  let home: InsideHome
  let passwordFile: string

  beforeAll(async () => {
    home = new InsideHome()
    primary = new OwnPostgres()
    await primary.start()
    const { password } = primary
    passwordFile = join(home.directory, 'password')
    writeFileSync(passwordFile, password)
    await (await openStore({ url: primary.url('postgres'), password, clock: systemClock })).close()
    standby = await primary.standby()
    await standby.start(standby.follows(primary, 'second'))
    await waitFor('the standby to follow', async () => (await standbys('streaming')) === 1)
  })
  afterAll(async () => {
    await primary?.close()
    await home?.close()
  })

  const standbys = async (state: string) => {
    const found = await primary.query(`SELECT * FROM pg_stat_replication WHERE '${state}' IN (state, sync_state)`)
    return found.length
  }
  const names = async (value: string) => {
    await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '${value}'`)
    await primary.query('SELECT pg_reload_conf()')
    const isThere = async () => (await primary.query('SHOW synchronous_standby_names'))[0]!.synchronous_standby_names
    await waitFor('the setting', async () => (await isThere()) === value)
  }
  const storeFinding = async (database: OwnPostgres) => {
    const env = { SIGNALBOX_STORE_URL: database.url('postgres'), SIGNALBOX_STORE_PASSWORD_FILE: passwordFile }
    const { stdout } = await home.run(['doctor', '--json'], { env })
    const findings = JSON.parse(stdout) as { check: string; level: string; message: string; next?: string }[]
    return findings.find(({ check }) => check === 'store')!
  }

  it('refuses "ok" while the standby confirms nothing, and says what to set', async () => {
    expect(await storeFinding(primary)).toMatchObject({
      level: 'error',
      message: expect.stringContaining('replicates asynchronously'),
      next: expect.stringContaining('synchronous_standby_names'),
    })
  })

  it('says "ok" when the standby confirms commits', async () => {
    await names('second')
    await waitFor('the standby to confirm', async () => (await standbys('sync')) === 1)
    expect(await storeFinding(primary)).toMatchObject({ level: 'ok' })
    await names('')
  })

  it('refuses "ok" while a standby with a slot is away', async () => {
    await primary.query("SELECT pg_create_physical_replication_slot('second')")
    await standby.stop()
    await waitFor('the standby to be gone', async () => (await standbys('streaming')) === 0)
    expect(await storeFinding(primary)).toMatchObject({ message: expect.stringContaining('asynchronously') })
    await primary.query("SELECT pg_drop_replication_slot('second')")
    expect(await storeFinding(primary)).toMatchObject({ level: 'ok' })
    await standby.start(standby.follows(primary, 'second'))
  })

  it('refuses "ok" for the standby itself', async () => {
    expect(await storeFinding(standby)).toMatchObject({
      level: 'error',
      message: expect.stringContaining('is read-only, as a standby is'),
      next: expect.stringContaining('the primary'),
    })
  })
})
