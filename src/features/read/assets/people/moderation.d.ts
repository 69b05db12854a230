export { interpretLabelValueDefinition, moderatePost, moderateProfile } from '@atproto/api'
