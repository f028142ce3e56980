/// Small invented files in the formats of trackers and time sheets, based on descriptions of these formats.
enum FormatSamples {
  static let all: [String: String] = [
    "habitbull": """
    HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText
    Pushups,,Fitness,2026-03-01,30,"hard, but"
    Read,,Mind,2026-03-13,1,
    Read,,Mind,2026-03-14,0,
    Read,,Mind,2026-03-15,-2.15E+09,
    """,
    "habitica": """
    Task Name,Task ID,Task Type,Date,Value
    Floss,5b8e2f60-0000-4000-8000-000000000001,habit,2026-03-01 08:00:00,1.5
    """,
    "strava": """
    Activity ID,Activity Date,Activity Name,Activity Type,Activity Description,Elapsed Time,Distance,Filename,Elapsed Time
    1234,"Mar 4, 2026, 3:02:05 PM",Morning,Run,,600,9.10,activities/1234.gpx,600
    """,
    "habitica-data": """
    {"auth":{},"achievements":{},"preferences":{"timezoneOffset":-180,"dayStart":5},"tasksOrder":{},"tasks":{"habits":[
    {"_id":"h1","type":"habit","text":" Read ","up":true,"down":true,"history":[
    {"date":1752153480113,"value":2.9,"scoredUp":3,"scoredDown":1},{"date":1752767820385,"value":3.1}]},
    {"_id":"h2","type":"habit","text":"Smoke","up":false,"down":true,"history":[
    {"date":1752153480113,"value":-1,"scoredUp":0,"scoredDown":2}]}],"dailys":[
    {"_id":"d1","type":"daily","text":"Floss","frequency":"weekly","everyX":1,"repeat":{"m":true,"t":true,"su":false},
    "history":[{"date":1752089423316,"value":1,"isDue":true,"completed":true},
    {"date":1752147464162,"value":0,"isDue":true,"completed":false},{"date":1752233264162,"value":1}]}],"todos":[
    {"_id":"t1","type":"todo","text":"Taxes","notes":"by post","completed":true,"dateCompleted":"2025-07-31T18:14:33.523Z"},
    {"_id":"t2","type":"todo","text":"Later","completed":false}],"rewards":[{"_id":"r1","text":"Cake"}]}}
    """,
    "json": """
    [{"id":"2f0c4d8e-1111-4222-8333-444455556666","event_type":{"id":"7f0c4d8e-1111-4222-8333-444455556666",\
    "name":"coffee","color":"#AA3311","icon":"cup"},"timestamp":"2026-01-02T14:05:00Z","is_all_day":false,\
    "notes":"oat","source_type":"manual","properties":{"size":{"type":"select","value":"large"}},\
    "created_at":"2026-01-02T14:05:01Z","updated_at":"2026-01-02T14:05:01Z"},
    {"id":"3f0c4d8e-1111-4222-8333-444455556666","event_type":{"id":"8f0c4d8e-1111-4222-8333-444455556666",\
    "name":"away"},"timestamp":"2026-01-02T23:00:00Z","is_all_day":true,"source_type":"imported"}]
    """,
    "habitkit": """
    {"habits":[{"id":"h1","name":"Read","color":"blue","isInverse":false,"orderIndex":0}],"completions":[
    {"id":"c1","habitId":"h1","date":"2026-03-01T22:00:00.000Z","timezoneOffsetInMinutes":120,"amountOfCompletions":1,"note":null},
    {"id":"c2","habitId":"h1","date":"2026-03-03T22:00:00.000Z","timezoneOffsetInMinutes":-300,"amountOfCompletions":3,"note":"x"},
    {"id":"c3","habitId":"gone","date":"2026-03-03T22:00:00.000Z","timezoneOffsetInMinutes":0,"amountOfCompletions":1},
    {"id":"c4","habitId":"h1","date":"2026-03-04T12:00:00.000Z","timezoneOffsetInMinutes":0,"amountOfCompletions":0}],
    "intervals":[{"habitId":"h1","startDate":"2026-01-01T00:00:00Z","endDate":null,"type":"week","requiredNumberOfCompletions":3}]}
    """,
    "nomie": """
    {"nomie":{"number":"5.6.1"},"trackers":{"coffee":{"tag":"coffee","label":"Coffee","type":"value","uom":"cup"},
    "mood":{"tag":"mood","type":"range"},"run":{"tag":"run","type":"timer"}},"events":[
    {"_id":"x1","end":"2026-02-03T07:30:00.000Z","note":"#coffee(2) with @anna +home","lat":52.1,"lng":5.1},
    {"_id":"x2","end":1770104400000,"note":"#run(00:45:10) #mood(7) #mood(6)","lat":0,"lng":0},
    {"_id":"x3","end":"2026-02-04T07:30:00.000Z","note":"just words, a@b.test"}]}
    """,
    "taskwarrior": """
    [
    {"id":0,"uuid":"5b8e2f60-0000-4000-8000-000000000001","status":"completed","description":"file taxes",\
    "project":"home.admin","entry":"20260201T090000Z","end":"20260301T170500Z","tags":["paper"],\
    "annotations":[{"entry":"20260201T090000Z","description":"ask Kim"}],"estimate":2.5,"urgency":3.2},
    {"id":4,"uuid":"5b8e2f60-0000-4000-8000-000000000002","status":"pending","description":"paint","entry":"20260201T090000Z"}
    ]
    """,
    "timewarrior": """
    inc 20260301T080000Z - 20260301T093000Z # code "deep work" # "merged the \\"parser\\""
    inc

    inc 20260302T080000Z - 20260302T080000Z
    inc 20260302T100000Z - 20260302T103000Z # # no tags here
    inc 20260303T080000Z # code
    """,
    "watson": """
    [
     [1772352000, 1772355600, "trendy", "0123456789abcdef0123456789abcdef", ["swift"], 1772355601],
     [1772362000, 1772365600, "", "1123456789abcdef0123456789abcdef"]
    ]
    """,
    "activitywatch": """
    {"buckets":{"aw-watcher-window_pc":{"id":"aw-watcher-window_pc","type":"currentwindow","client":"c","hostname":"pc",\
    "created":"2026-01-01T00:00:00Z","events":[
    {"id":4,"timestamp":"2026-03-01T08:10:00.500000+00:00","duration":30,"data":{"app":"code","title":"b"}},
    {"id":3,"timestamp":"2026-03-01T08:05:00+00:00","duration":20,"data":{"app":"firefox","title":"private"}},
    {"id":2,"timestamp":"2026-03-01T08:02:00+00:00","duration":180.0,"data":{"app":"code","title":"a2"}},
    {"id":1,"timestamp":"2026-03-01T08:00:00","duration":120,"data":{"app":"code","title":"a"}}]},
    "aw-watcher-afk_pc":{"events":[
    {"timestamp":"2026-03-01T08:06:00+00:00","duration":1000,"data":{"status":"afk"}},
    {"timestamp":"2026-03-01T08:00:30+00:00","duration":329.5,"data":{"status":"not-afk"}}],"id":"aw-watcher-afk_pc"}}}
    """,
  ]

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

  /// Archive of Loop 2.3.0 or earlier, in an additional folder.
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
