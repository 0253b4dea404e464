import { AGENTS } from './table/index.js'

// Prints the packages of the agents and the versions that the tests use.
console.log(JSON.stringify(AGENTS.map(({ name, package: npm, version }) => ({ name, npm, version }))))
