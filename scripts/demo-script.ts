/** What the demo's job does: makes a small git repository, clones it, runs its tests and writes a report. */

const REPOSITORY = String.raw`
mkdir -p /tmp/origin && cd /tmp/origin
git init --quiet --initial-branch=main
git config user.email demo@example.test
git config user.name Demo
cat > roman.py <<'PY'
NUMERALS = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
            (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]

def roman(number):
    if not 0 < number < 4000:
        raise ValueError("from 1 to 3999")
    text = ""
    for value, numeral in NUMERALS:
        while number >= value:
            text, number = text + numeral, number - value
    return text
PY
cat > test_roman.py <<'PY'
import unittest
from roman import roman

class RomanTest(unittest.TestCase):
    def test_small_numbers(self):
        self.assertEqual([roman(n) for n in (1, 4, 9)], ["I", "IV", "IX"])

    def test_a_year(self):
        self.assertEqual(roman(2026), "MMXXVI")

    def test_zero_is_refused(self):
        with self.assertRaises(ValueError):
            roman(0)
PY
git add . && git commit --quiet -m "Roman numerals"
git clone --quiet /tmp/origin /workspace/clone
cd /workspace/clone
git log --oneline
python3 -m unittest -v
`;

/** The work is piped through tee, so that the job itself can say how many lines it printed. */
export const DEMO_SCRIPT = `
cat > /tmp/work.sh <<'WORK'
set -euo pipefail${REPOSITORY}WORK
set -o pipefail
bash /tmp/work.sh 2>&1 | tee /tmp/printed
code=$?
lines=$(wc -l < /tmp/printed)
if [ "$code" -eq 0 ]; then status=success; else status=failure; fi
echo "{\\"status\\": \\"$status\\", \\"summary\\": \\"three tests\\", \\"lines_printed\\": $lines}" > /workspace/result.json
exit "$code"
`;
