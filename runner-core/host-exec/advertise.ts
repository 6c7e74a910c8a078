/** What the service is told of the owner's profiles: names, abilities and model names, and nothing else. */
import {
  CURSOR_CAPABILITIES,
  type AdvertisedProfile,
  type HostProfile,
} from '../model/host-profile.ts';

/** For `register` and every heartbeat. No profiles: an empty list, since absence would keep what the service has. */
export function advertise(profiles: readonly HostProfile[]): readonly AdvertisedProfile[] {
  return profiles.map(({ name, modelMap }) => ({
    name,
    capabilities: CURSOR_CAPABILITIES,
    models: Object.keys(modelMap).sort(),
  }));
}
