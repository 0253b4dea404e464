import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { openClient } from '../postgres/connections.js'
import { parseStoreUrl } from '../postgres/store-url.js'

export interface TestDatabase {
  url: string
  password: string
  /** Runs a statement as the owner of the database. */
  query(sql: string): Promise<Record<string, unknown>[]>
  /** Removes the store. */
  drop(): Promise<void>
}

/**
 * An empty schema of the PostgreSQL that the test run starts (test/support/postgres-launcher.ts).
 */
export async function newTestDatabase(schema = `test_${randomBytes(6).toString('hex')}`): Promise<TestDatabase> {
  const launcher = process.env.SIGNALBOX_TEST_POSTGRES
  if (!launcher) throw new Error('the test run has no PostgreSQL launcher')
  const answer = JSON.parse(await text(connect(launcher))) as { url: string; password: string; error?: string }
  if (answer.error) throw new Error(`PostgreSQL did not start: ${answer.error}`)
  const url = `${answer.url}?schema=${schema}`
  const { password } = answer
  const query = async (sql: string) => {
    const client = await openClient({ target: parseStoreUrl(url), password })
    try {
      await client.query(`SET search_path = ${schema}`)
      return (await client.query(sql)).rows as Record<string, unknown>[]
    } finally {
      await client.end()
    }
  }
  return {
    url,
    password,
    query,
    drop: async () => void (await query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)),
  }
}
