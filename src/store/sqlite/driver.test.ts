import { describe, expect, it } from 'vitest'
import { loadDriver } from './driver.js'

describe('the SQLite driver', () => {
  it.each(['20.19.0', '22.4.1', '22.5.0', '24.0.0'])(
    'loads on Node %s, also without the built-in module',
    async version => {
      // The Node that runs the tests may lack the built-in module: then the package is used.
      const driver = await loadDriver(version)
      const database = new driver(':memory:')
      expect(database.prepare('SELECT 1 AS one').get()).toMatchObject({ one: 1 })
      database.close()
    },
  )
})
