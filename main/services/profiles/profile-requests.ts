/** What the owner can ask of the Profiles screen. */
import type { RequestHandlers } from '../../api/page-source.ts';
import type { ProfileDesk } from './profile-desk.ts';

export type ProfileActs = Pick<
  ProfileDesk,
  | 'check'
  | 'save'
  | 'remove'
  | 'duplicate'
  | 'import'
  | 'export'
  | 'turn'
  | 'allow'
  | 'recheck'
  | 'try'
  | 'tryStop'
>;
type ProfileRequest = Exclude<
  Extract<keyof RequestHandlers, `profiles.${string}`>,
  'profiles.list'
>;

const DONE = {};

export function profileRequests(desk: ProfileActs): Pick<RequestHandlers, ProfileRequest> {
  return {
    'profiles.check': (input) => desk.check(input),
    'profiles.save': (input) => desk.save(input),
    'profiles.remove': ({ name }) => {
      desk.remove(name);
      return DONE;
    },
    'profiles.duplicate': ({ name }) => desk.duplicate(name),
    'profiles.import': (input) => desk.import(input),
    'profiles.export': (input) => desk.export(input),
    'profiles.turn': async ({ name, on }) => {
      await desk.turn(name, on);
      return DONE;
    },
    'profiles.allow': async ({ on }) => {
      await desk.allow(on);
      return DONE;
    },
    'profiles.recheck': async () => {
      await desk.recheck();
      return DONE;
    },
    'profiles.try': (input) => desk.try(input),
    'profiles.try_stop': ({ id }) => {
      desk.tryStop(id);
      return DONE;
    },
  };
}
