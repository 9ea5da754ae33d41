/**
 * A description in several files: its binding is imported, its schemas are of two namespaces that import each other, and one of
 * them includes a schema without a namespace that includes another one.
 */
export const importedOrders: Readonly<Record<string, string>> = {
  'orders.wsdl': `<?xml version="1.0" encoding="utf-8"?>
<definitions name="Orders" targetNamespace="urn:service" xmlns="http://schemas.xmlsoap.org/wsdl/"
    xmlns:b="urn:binding" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/">
  <import namespace="urn:binding" location="parts/binding.wsdl"/>
  <service name="Orders"><port name="Orders" binding="b:Orders"><soap:address location="http://127.0.0.1:1/orders"/></port></service>
</definitions>
`,
  'parts/binding.wsdl': `<?xml version="1.0" encoding="utf-8"?>
<wsdl:definitions targetNamespace="urn:binding" xmlns:tns="urn:binding" xmlns:o="urn:orders" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"
    xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/">
  <wsdl:types>
    <xs:schema><xs:import namespace="urn:orders" schemaLocation="../xsd/orders.xsd"/></xs:schema>
  </wsdl:types>
  <wsdl:message name="PlaceIn"><wsdl:part name="parameters" element="o:PlaceOrder"/></wsdl:message>
  <wsdl:message name="PlaceOut"><wsdl:part name="parameters" element="o:PlaceOrderResponse"/></wsdl:message>
  <wsdl:portType name="Orders">
    <wsdl:operation name="PlaceOrder"><wsdl:input message="tns:PlaceIn"/><wsdl:output message="tns:PlaceOut"/></wsdl:operation>
  </wsdl:portType>
  <wsdl:binding name="Orders" type="tns:Orders">
    <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <wsdl:operation name="PlaceOrder"><soap:operation soapAction="urn:place"/><wsdl:input><soap:body use="literal"/></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output></wsdl:operation>
  </wsdl:binding>
</wsdl:definitions>
`,
  'xsd/orders.xsd': `<xs:schema targetNamespace="urn:orders" elementFormDefault="qualified" xmlns:tns="urn:orders" xmlns:p="urn:parties" xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:import namespace="urn:parties" schemaLocation="parties.xsd"/>
  <xs:include schemaLocation="line.xsd"/>
  <xs:element name="PlaceOrder"><xs:complexType><xs:sequence>
    <xs:element name="customer" type="p:Party"/>
    <xs:element name="line" type="tns:Line" maxOccurs="unbounded"/>
    <xs:element ref="p:note" minOccurs="0"/>
  </xs:sequence></xs:complexType></xs:element>
  <xs:element name="PlaceOrderResponse"><xs:complexType><xs:sequence>
    <xs:element name="id" type="xs:string"/><xs:element name="total" type="xs:decimal"/><xs:element name="customer" type="p:Party"/>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>
`,
  'xsd/line.xsd': `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">
  <xs:include schemaLocation="sku.xsd"/>
  <xs:complexType name="Line"><xs:sequence><xs:element name="sku" type="Sku"/><xs:element name="count" type="xs:int"/></xs:sequence></xs:complexType>
</xs:schema>
`,
  'xsd/sku.xsd': `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:include schemaLocation="line.xsd"/>
  <xs:simpleType name="Sku"><xs:restriction base="xs:string"><xs:maxLength value="5"/></xs:restriction></xs:simpleType>
</xs:schema>
`,
  'xsd/parties.xsd': `<xs:schema targetNamespace="urn:parties" xmlns:tns="urn:parties" xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="unqualified">
  <xs:import namespace="urn:orders" schemaLocation="orders.xsd"/>
  <xs:complexType name="Party"><xs:sequence><xs:element name="name" type="xs:string"/><xs:element name="parent" type="tns:Party" minOccurs="0"/></xs:sequence></xs:complexType>
  <xs:element name="note" type="xs:string"/>
</xs:schema>
`,
};
