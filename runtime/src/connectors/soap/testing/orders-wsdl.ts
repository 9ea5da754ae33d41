/** The WSDL of a service of orders: one operation with a sequence, one that takes anything, one without parameters. */
export const ordersWsdl = `<?xml version="1.0" encoding="utf-8"?>
<wsdl:definitions name="Orders" targetNamespace="http://erp.example.org/orders"
    xmlns:tns="http://erp.example.org/orders" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"
    xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap12/">
  <wsdl:types>
    <xs:schema targetNamespace="http://erp.example.org/orders" elementFormDefault="qualified">
      <xs:complexType name="Base"><xs:sequence><xs:element name="customer" type="xs:string"/></xs:sequence></xs:complexType>
      <xs:group name="Rest"><xs:sequence><xs:element name="note" type="xs:string" minOccurs="0"/></xs:sequence></xs:group>
      <xs:element name="PlaceOrder">
        <xs:complexType><xs:complexContent><xs:extension base="tns:Base"><xs:sequence>
          <xs:element name="line" type="xs:string" maxOccurs="unbounded"/>
          <xs:choice><xs:element name="card" type="xs:string"/><xs:element name="iban" type="xs:string"/></xs:choice>
          <xs:group ref="tns:Rest"/>
        </xs:sequence></xs:extension></xs:complexContent></xs:complexType>
      </xs:element>
      <xs:element name="Ping"><xs:complexType/></xs:element>
    </xs:schema>
    <xs:schema targetNamespace="http://erp.example.org/data">
      <xs:element name="Send"><xs:complexType><xs:sequence><xs:any/></xs:sequence></xs:complexType></xs:element>
    </xs:schema>
  </wsdl:types>
  <wsdl:message name="PlaceIn"><wsdl:part name="parameters" element="tns:PlaceOrder"/></wsdl:message>
  <wsdl:message name="PingIn"><wsdl:part name="parameters" element="tns:Ping"/></wsdl:message>
  <wsdl:message name="SendIn"><wsdl:part name="parameters" element="d:Send" xmlns:d="http://erp.example.org/data"/></wsdl:message>
  <wsdl:portType name="OrdersPort">
    <wsdl:operation name="Place"><wsdl:input message="tns:PlaceIn"/></wsdl:operation>
    <wsdl:operation name="Ping"><wsdl:input message="tns:PingIn"/></wsdl:operation>
    <wsdl:operation name="Send"><wsdl:input message="tns:SendIn"/></wsdl:operation>
  </wsdl:portType>
  <wsdl:binding name="OrdersSoap" type="tns:OrdersPort">
    <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <wsdl:operation name="Place"><soap:operation soapAction="urn:place"/><wsdl:input><soap:body use="literal"/></wsdl:input></wsdl:operation>
    <wsdl:operation name="Ping"><wsdl:input><soap:body use="literal"/></wsdl:input></wsdl:operation>
    <wsdl:operation name="Send"><soap:operation soapAction=""/><wsdl:input><soap:body use="literal"/></wsdl:input></wsdl:operation>
  </wsdl:binding>
  <wsdl:service name="Orders"><wsdl:port name="OrdersSoap" binding="tns:OrdersSoap"><soap:address location="http://127.0.0.1:1/orders"/></wsdl:port></wsdl:service>
</wsdl:definitions>
`;
