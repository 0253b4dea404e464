import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describeNeeding } from '../../../test/support/requirements.js'
import { systemClock } from '../../clock/index.js'
import { openStore } from '../index.js'
import { describeEventStore, type StoreSite } from '../testing/conformance.js'
import { newTestDatabase } from '../testing/postgres-server.js'

const APPEND_ELSEWHERE = fileURLToPath(new URL('../testing/append-elsewhere.ts', import.meta.url))

async function makeSite(): Promise<StoreSite> {
  const database = await newTestDatabase()
  const { url, password } = database
  let passed = 0
  return {
    connect: options => openStore({ url, password, clock: systemClock, ...options }),
    async appendElsewhere(stream, events) {
      const args = ['--import', 'tsx', APPEND_ELSEWHERE, url, stream, JSON.stringify(events)]
      const env = { ...process.env, PGPASSWORD: password }
      const child = spawn(process.execPath, args, { stdio: 'inherit', env })
      const [code] = await once(child, 'exit')
      if (code !== 0) throw new Error(`the other process ended with ${code}`)
    },
    async passTime(ms) {
      passed += ms
      await database.query(`CREATE OR REPLACE FUNCTION sb_now() RETURNS bigint LANGUAGE sql VOLATILE AS
        $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${passed} $$`)
    },
    dispose: () => database.drop(),
  }
}

describeNeeding('postgres', 'PostgreSQL', () => {
  describeEventStore('the PostgreSQL store', makeSite)
})
