/// Small files of trackers and time sheets, made up after what their formats are described as.
enum FormatSamples {
  static let all: [String: String] = [:]

  /// The archive of Loop from 2.3.1 on.
  static let loop: [String: String] = [
    "Habits.csv": """
    Position,Name,Type,Question,Description,FrequencyNumerator,FrequencyDenominator,Color,Unit,Target Type,Target Value,Archived?
    001,Meditate,YES_NO,"Today, too?",,1,1,#FF8F00,,,,false
    002,"Run, slowly",YES_NO,,,3,7,#00897B,,,,false
    003,読書,NUMERICAL,,,1,1,#C2185B,pages,AT_LEAST,20.0,false
    004,Not chosen,YES_NO,,,1,1,#C2185B,,,,false
    """,
    "Checkmarks.csv": "Date,Meditate,Run, slowly,読書,\n2026-03-02,2,0,12500,\n",
    "001 Meditate/Checkmarks.csv": """
    Date,Value,Notes
    2026-03-03,YES_AUTO,
    2026-03-02,YES_MANUAL,
    2026-03-01,SKIP,"at sea, no signal"
    2026-02-28,NO,
    2026-02-27,UNKNOWN,
    """,
    "001 Meditate/Scores.csv": "Date,Score\n2026-03-02,0.0519\n",
    "002 Run slowly/Checkmarks.csv": "Date,Value,Notes\n2026-03-02,YES_MANUAL,5 km\n",
    "003/Checkmarks.csv": "Date,Value,Notes\n2026-03-02,12500,\n2026-03-01,NO,good book\n",
  ]

  /// The archive of Loop to 2.3.0, packed again with a folder around it.
  static let oldLoop: [String: String] = [
    "Loop/Habits.csv": """
    Position,Name,Question,Description,NumRepetitions,Interval,Color
    001,Meditate,,,1,1,#FF8F00
    002,Pages,,,1,1,#FF8F00
    """,
    "Loop/001 Meditate/Checkmarks.csv": "2026-03-02,2\n2026-03-01,3\n2026-02-28,0\n2026-02-27,1\n",
    "Loop/002 Pages/Checkmarks.csv": "2026-03-02,12000\n2026-03-01,0\n2026-02-28,-1000\n",
    "Loop/007 Lost/Checkmarks.csv": "2026-03-02,2\n",
  ]

  static let daylio = """
    {"version":18,"customMoods":[{"id":1,"custom_name":"","predefined_name_id":1,"mood_group_id":1},
    {"id":7,"custom_name":"grey","predefined_name_id":-1,"mood_group_id":4}],"tags":[{"id":3,"name":"work"}],
    "dayEntries":[{"id":9,"year":2026,"month":2,"day":1,"hour":21,"minute":5,"datetime":1772395500000,
    "timeZoneOffset":3600000,"mood":7,"note":"rain<br>all day","note_title":"","tags":[3,99],"assets":[]},
    {"id":10,"year":2026,"month":12,"day":1,"hour":21,"minute":5,"mood":0,"tags":[]}]}
    """
}
