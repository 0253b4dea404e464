/**
 * Restate as the engine of a cluster (docs/decisions/0031-restate.md). Loaded only where it is
 * used.
 */
export { engineIdentity, publicKeyOf } from './identity.js'
export { isRestateUp } from './restate-client.js'
export { RestateEngine } from './restate-engine.js'
export { endFormer, RestateNode } from './restate-node.js'
export { turnEndpoint } from './turn-endpoint.js'
