// Tries to use a store and prints the error code.
import { systemClock } from '../../src/clock/index.js'
import { toSignalboxError } from '../../src/errors/index.js'
import { openStore } from '../../src/store/index.js'

for (const path of process.argv.slice(2)) {
  const result = await openStore({ path, clock: systemClock })
    .then(store => store.append('a', 'any', [{ type: 'test.x', data: {} }]))
    .then(
      () => 'written',
      (error: unknown) => toSignalboxError(error).code,
    )
  console.log(result)
}
