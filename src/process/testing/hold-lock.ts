// Run as its own program: takes the lock named by its argument, reports it, and holds it until it
// is killed or its input ends.
import { acquireLock } from '../lock.js'

const lock = await acquireLock(process.argv[2]!)
console.log(lock ? 'held' : 'refused')
if (lock) {
  process.stdin.resume()
  process.stdin.on('end', () => {
    lock.release()
    console.log('released')
  })
}
