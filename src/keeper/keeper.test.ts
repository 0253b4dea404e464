import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../clock/index.js'
import { SIZE_MAX as EMULATOR_SIZE_MAX } from '../terminal/index.js'
import { Keeper, KeeperClient, KeeperServer } from './index.js'
import { SIZE_MAX } from './keeper.js'
import { describeKeeper } from './testing/keeper-suite.js'

describeKeeper('a keeper in this process', async () => {
  const keeper = new Keeper(systemClock)
  return { keeper, dispose: () => keeper.close() }
})

describeKeeper('a keeper behind a socket', async directory => {
  const keeper = new Keeper(systemClock)
  const server = new KeeperServer(keeper)
  await server.listen(join(directory, 'keeper.sock'))
  const client = await KeeperClient.connect(join(directory, 'keeper.sock'))
  return {
    keeper: client,
    async dispose() {
      await client.close()
      server.close()
      await keeper.close()
    },
  }
})

test('a keeper accepts the sizes that an emulator supports', () => {
  expect(SIZE_MAX).toBe(EMULATOR_SIZE_MAX)
})
