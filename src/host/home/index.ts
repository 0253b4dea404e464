export { approvalPolicy } from './approval-policy.js'
export { type Home, openHome } from './home.js'
