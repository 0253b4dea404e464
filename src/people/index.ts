export { People, type Person, type PersonRole, ROLES } from './people.js'
