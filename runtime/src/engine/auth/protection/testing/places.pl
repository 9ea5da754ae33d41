# Makes places.mmdb, a city database of the ranges for documentation. Needs libmaxmind-db-writer-perl.
use MaxMind::DB::Writer::Tree;

my %types = (
  country => 'map', iso_code => 'utf8_string', names => 'map', en => 'utf8_string', city => 'map',
  location => 'map', latitude => 'double', longitude => 'double',
);
my $tree = MaxMind::DB::Writer::Tree->new(
  ip_version => 6, record_size => 24, database_type => 'GeoLite2-City', languages => ['en'],
  description => { en => 'Places of the tests' }, map_key_type_callback => sub { $types{$_[0]} },
  remove_reserved_networks => 0,
);
sub place {
  my ($network, $city, $country, $code, $latitude, $longitude) = @_;
  $tree->insert_network($network, {
    city => { names => { en => $city } },
    country => { iso_code => $code, names => { en => $country } },
    location => { latitude => $latitude, longitude => $longitude },
  });
}
place('203.0.113.0/25', 'Rome', 'Italy', 'IT', 41.9, 12.5);
place('203.0.113.128/25', 'Naples', 'Italy', 'IT', 40.85, 14.27);
place('198.51.100.0/24', 'Sydney', 'Australia', 'AU', -33.87, 151.21);
place('2001:db8:1::/48', 'Paris', 'France', 'FR', 48.86, 2.35);
# A country without a position.
$tree->insert_network('192.0.2.0/24', { country => { iso_code => 'JP', names => { en => 'Japan' } } });
# What a private address would be, were it asked for.
place('10.0.0.0/8', 'Nowhere', 'Nowhere', 'XX', 1, 1);

open my $file, '>:raw', 'places.mmdb' or die;
$tree->write_tree($file);
