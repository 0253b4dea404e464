// What the API answers: the schemas of the server, as types. Moments are RFC 3339; `timeOf` reads
// them.
export type * from '../../../src/server/api-types'
