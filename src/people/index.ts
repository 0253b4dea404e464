export { People, type Person, type PersonRole } from './people.js'
