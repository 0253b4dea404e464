import { describe, expect, it } from 'vitest'
import { loadDriver } from './driver.js'

describe('the SQLite driver', () => {
  it.each(['20.19.0', '22.4.1', '22.5.0', '24.0.0'])(
    'is found on Node %s, also where the built-in one is missing',
    async version => {
      // On the Node that runs the tests the built-in module may not exist: then the package has to step in.
      const driver = await loadDriver(version)
      const database = new driver(':memory:')
      expect(database.prepare('SELECT 1 AS one').get()).toMatchObject({ one: 1 })
      database.close()
    },
  )
})
