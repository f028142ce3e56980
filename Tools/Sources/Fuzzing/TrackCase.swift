import Foundation
import TrendyInterchange
import TrendyModels

/// Reads fuzzed tracker uploads and track files. Reading must throw or return a batch in which all fixes have valid
/// coordinates.
enum TrackCase {
  static func run(_ source: inout FuzzSource) throws -> String {
    let now = Date(timeIntervalSince1970: 1_704_067_200)
    let json = source.pick(documents)
    let body =
      source.once(in: 3) ? source.mutated(Array(json.utf8)) : source.mutated(document: Array(json.utf8), rarity: 4)
    let query = [
      "lat", "lon", "time", "timestamp", "alt", "acc", "spd", "dir", "hdop", "id", "location", "speed", "bearing",
    ].map { "\($0)=\(source.once(in: 3) ? source.text() : source.numeral())" }.joined(separator: "&")
    do {
      let batch: DeviceBatch
      switch source.below(6) {
      case 0: batch = try DeviceRequest.ownTracks(query: query, body: body)
      case 1: batch = try DeviceRequest.overland(body: body)
      case 2: batch = try DeviceRequest.gpsLogger(query: query, body: source.once(in: 2) ? [] : body)
      case 3: batch = try DeviceRequest.osmAnd(query: query, body: source.once(in: 2) ? [] : body, receivedAt: now)
      default:
        let file = source.pick(files)
        let text = source.mutated(source.mutated(Array(file.utf8)))
        let read = try TrackFile(reading: text)
        for track in read.tracks {
          for segment in track.segments {
            for point in segment.points where !point.coordinate.isValid { throw Finding("\(point)") }
          }
        }
        return read.tracks.isEmpty ? "nothing" : "read"
      }
      for fix in batch.fixes where !fix.coordinate.isValid { throw Finding("\(fix)") }
      return batch.fixes.isEmpty ? "nothing" : "read"
    } catch is InterchangeError {
      return "rejected"
    }
  }

  private static let documents = [
    #"{"_type":"location","lat":52.5,"lon":13.4,"tst":1704067200,"acc":5,"alt":34,"vel":12,"cog":90,"tid":"ab","batt":80,"topic":"owntracks/a/b"}"#,
    #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{"timestamp":"2024-01-01T00:00:00Z","altitude":34,"speed":3,"horizontal_accuracy":5,"motion":["driving"],"device_id":"a"}}]}"#,
    #"{"location":{"timestamp":"2024-01-01T00:00:00Z","coords":{"latitude":52.5,"longitude":13.4,"accuracy":5,"speed":3,"heading":90,"altitude":34},"activity":{"type":"walking","confidence":80}},"device_id":"a"}"#,
    #"{"lat":52.5,"lon":13.4,"timestamp":1704067200,"acc":5}"#,
  ]

  private static let files = [
    #"<?xml version="1.0"?><gpx version="1.1" creator="c" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>n</name><trkseg><trkpt lat="52.5" lon="13.4"><ele>34</ele><time>2024-01-01T00:00:00Z</time></trkpt><trkpt lat="52.6" lon="13.5"><time>2024-01-01T00:01:00Z</time></trkpt></trkseg></trk></gpx>"#,
    #"<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Placemark><gx:Track><when>2024-01-01T00:00:00Z</when><gx:coord>13.4 52.5 34</gx:coord></gx:Track></Placemark></kml>"#,
    #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[[13.4,52.5,34],[13.5,52.6]]},"properties":{"coordTimes":["2024-01-01T00:00:00Z","2024-01-01T00:01:00Z"]}}]}"#,
    "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r\n$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n",
    "time,lat,lon,accuracy,speed\n2024-01-01T00:00:00Z,52.5,13.4,5,3\n1704067260,52.6,13.5,5,3\n",
    "2024-01-01T00:00:00Z\t*                 \t{\"_type\":\"location\",\"lat\":52.5,\"lon\":13.4,\"tst\":1704067200}\n",
  ]
}
