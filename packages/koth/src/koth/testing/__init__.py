"""The test kit for a game's package: the laws that every game keeps (`check(game)`), and matches without bots.

A law takes a `Case`: a game, its settings, and how far to play. It plays with answers drawn from the questions' own
declarations (`RandomAnswers`), so it needs no bot, and fails with an AssertionError that explains the violation.
Choose settings with a small board: a law plays the same matches many times.
"""

from koth.testing.cases import Case as Case
from koth.testing.cases import begin as begin
from koth.testing.cases import go_on as go_on
from koth.testing.cases import play as play
from koth.testing.cases import policy_of as policy_of
from koth.testing.cases import seed_where as seed_where
from koth.testing.cases import states as states
from koth.testing.cases import trail as trail
from koth.testing.laws import LAWS as LAWS
from koth.testing.laws import check as check
from koth.testing.playthrough import playthrough as playthrough
from koth.testing.policies import Policy as Policy
from koth.testing.policies import RandomAnswers as RandomAnswers
from koth.testing.policies import Silence as Silence
